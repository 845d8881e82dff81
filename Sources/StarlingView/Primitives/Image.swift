public import Foundation

/// Stands in for a picture: hosts here show its name, or the label it is given.
public struct Image: View, Equatable {
  public typealias Body = Never
  private let name: String
  private let label: String?

  /// How a picture fills a space that is larger. Hosts here draw none.
  public enum ResizingMode: Hashable, Sendable {
    /// Repeated.
    case tile
    /// Stretched.
    case stretch
  }

  /// How large a symbol is beside text. Hosts here draw none.
  public enum Scale: Hashable, Sendable {
    /// Smaller than text.
    case small
    /// As text.
    case medium
    /// Larger than text.
    case large
  }

  nonisolated private init(name: String, label: String?) {
    self.name = name
    self.label = label
  }

  /// A symbol of Apple's systems by its name.
  nonisolated public init(systemName: String) {
    self.init(name: systemName, label: nil)
  }

  /// A picture by its name.
  nonisolated public init(_ name: String, bundle: Bundle? = nil) {
    self.init(name: name, label: nil)
  }

  /// A picture that hosts show by `label`.
  nonisolated public init(_ name: String, bundle: Bundle? = nil, label: Text) {
    self.init(name: name, label: label.content.string)
  }

  /// A picture by its name, which says nothing that a person must know.
  nonisolated public init(decorative name: String, bundle: Bundle? = nil) {
    self.init(name: name, label: nil)
  }

  /// Accepted and without effect: pictures are not drawn here.
  nonisolated public func resizable(resizingMode: ResizingMode = .stretch) -> Image { self }

  nonisolated public static func == (left: Image, right: Image) -> Bool {
    left.name == right.name && left.label == right.label
  }
}

extension Image: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    var element = Element(node, .image(name: name))
    element.accessibilityLabel = label
    return Composition(element)
  }
}

/// Stands in for a picture that is loaded: hosts here load none, and show the placeholder.
public struct AsyncImage<Content: View>: View {
  private let content: Content

  /// The last part of the address stands for the picture.
  public init(url: URL?, scale: CGFloat = 1) where Content == Image {
    content = Image(url?.lastPathComponent ?? "")
  }

  /// The placeholder stands for the picture, which is never loaded.
  public init<Shown: View, Placeholder: View>(
    url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> Shown,
    @ViewBuilder placeholder: @escaping () -> Placeholder
  ) where Content == _ConditionalContent<Shown, Placeholder> {
    self.content = _ConditionalContent(.second(placeholder()))
  }

  /// The content of `AsyncImagePhase.empty` stands for the picture, which is never loaded.
  public init(
    url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
  ) {
    self.content = content(.empty)
  }

  public var body: some View { content }
}

/// How far a picture is loaded.
public enum AsyncImagePhase: Sendable {
  /// Not loaded yet.
  case empty
  /// Loaded.
  case success(Image)
  /// Could not be loaded.
  case failure(any Error)

  /// The picture, where it is loaded.
  public var image: Image? {
    if case .success(let image) = self { return image }
    return nil
  }

  /// Why it could not be loaded; nil where it could, and before.
  public var error: (any Error)? {
    if case .failure(let error) = self { return error }
    return nil
  }
}
