public import Foundation
import StarlingGraph
import StarlingModel

/// Shows what depends on the space that there is: all of it that the views around leave.
///
/// A terminal says how large that is, in points of eight by sixteen a cell, and evaluates the content again when it has
/// changed. In a headless host it is the host's `size`.
public struct GeometryReader<Content: View>: View {
  public typealias Body = Never
  /// Makes the content for a space.
  public var content: (GeometryProxy) -> Content

  /// Shows what `content` makes of the space.
  public init(@ViewBuilder content: @escaping (GeometryProxy) -> Content) {
    self.content = content
  }
}

extension GeometryReader: PrimitiveView {
  package func compose(in node: Node) -> Composition {
    let measured = node.memory { MeasuredSpace() }
    let space = measured.rect.value ?? CGRect(origin: .zero, size: node.tree.size.value)
    return Composition(content(GeometryProxy(space: space))) { drawn in
      var element = Element(node, .geometry, drawn.all)
      element.actions.measured = { measured.rect.store($0) }
      return [element]
    }
  }
}

@MainActor private final class MeasuredSpace {
  let rect = StateStorage<CGRect?>(nil)
}

/// How large a space is and where it stands, in points.
public struct GeometryProxy {
  fileprivate let space: CGRect

  /// How large it is.
  public var size: CGSize { space.size }
  /// What of it belongs to the system: nothing here.
  public var safeAreaInsets: EdgeInsets { EdgeInsets() }

  /// The space as it stands in another; in one with a name as in the host's screen.
  public func frame(in space: CoordinateSpace) -> CGRect {
    space == .local ? CGRect(origin: .zero, size: size) : self.space
  }
}

extension View {
  /// Names the view's space. Places in it are those on the host's screen.
  public func coordinateSpace(name: some Hashable) -> some View { accepted("coordinateSpace") }
}
