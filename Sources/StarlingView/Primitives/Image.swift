public import Foundation

/// Stands in for a picture: hosts here show its name, or the label it is given.
public struct Image: View, Equatable {
  public typealias Body = Never
  private let name: String
  private let label: String?

  public enum ResizingMode: Hashable, Sendable {
    case tile
    case stretch
  }

  public enum Scale: Hashable, Sendable {
    case small
    case medium
    case large
  }

  nonisolated private init(name: String, label: String?) {
    self.name = name
    self.label = label
  }

  nonisolated public init(systemName: String) {
    self.init(name: systemName, label: nil)
  }

  nonisolated public init(_ name: String, bundle: Bundle? = nil) {
    self.init(name: name, label: nil)
  }

  nonisolated public init(_ name: String, bundle: Bundle? = nil, label: Text) {
    self.init(name: name, label: label.content.string)
  }

  nonisolated public init(decorative name: String, bundle: Bundle? = nil) {
    self.init(name: name, label: nil)
  }

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

  public init(url: URL?, scale: CGFloat = 1) where Content == Image {
    content = Image(url?.lastPathComponent ?? "")
  }

  public init<Shown: View, Placeholder: View>(
    url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (Image) -> Shown,
    @ViewBuilder placeholder: @escaping () -> Placeholder
  ) where Content == _ConditionalContent<Shown, Placeholder> {
    self.content = _ConditionalContent(.second(placeholder()))
  }

  public init(
    url: URL?, scale: CGFloat = 1, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
  ) {
    self.content = content(.empty)
  }

  public var body: some View { content }
}

/// How far a picture is loaded.
public enum AsyncImagePhase: Sendable {
  case empty
  case success(Image)
  case failure(any Error)

  public var image: Image? {
    if case .success(let image) = self { return image }
    return nil
  }

  public var error: (any Error)? {
    if case .failure(let error) = self { return error }
    return nil
  }
}
