import StarlingGraph
import StarlingModel

/// What a style makes of a control: a scope of its own, in which the style may read the environment.
struct StyleBody<Style, Configuration, Content: View>: PrimitiveView {
  var style: Style
  let configuration: Configuration
  let make: @MainActor (Style, Configuration) -> Content

  func compose(in node: Node) -> Composition { Composition(make(style, configuration)) }
}

extension StyleBody: PropertyHolder {
  nonisolated static func holds(_ type: Any.Type) -> Bool { type == Style.self }
}

/// A part of a control as its style sees it.
struct StyledPart: PrimitiveView {
  let content: any View

  func compose(in node: Node) -> Composition { Composition([Part(content)]) }
}

extension Composition {
  /// What a style made, for which `change` sets the environment: mostly that the style itself is used no more.
  init(
    styled view: any View, in node: Node, _ change: (inout EnvironmentValues) -> Void,
    draw: @escaping @MainActor (Drawn) -> [Element] = { $0.all }
  ) {
    let scope = node.memory { EnvironmentScope(parent: node.environment) }
    var values = EnvironmentValues(in: node.environment)
    change(&values)
    scope.update(values.writes)
    self.init([Part(view, environment: scope)], draw: draw)
  }
}
