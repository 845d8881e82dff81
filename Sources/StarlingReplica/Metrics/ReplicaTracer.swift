import StarlingCore
import StarlingEngine
import Tracing

/// Makes spans of what happens to changes, for the tracer that the program has bootstrapped.
///
/// ```
///   span "request" ── write ──► span "starling publish"      parent: the first write's span; links: the others'
///                                   replica, first, last
///                                         ⋮  joined by these names: no frame says anything of traces
///                               span "starling merge"        in every other process, of the same changes
/// ```
struct ReplicaTracer: EngineTracer {
  private let tracer: any Tracer

  /// The bootstrapped tracer; nil where there is none, and then nothing is asked or done for traces.
  static var bootstrapped: ReplicaTracer? {
    let tracer = InstrumentationSystem.tracer
    return tracer is NoOpTracer ? nil : ReplicaTracer(tracer: tracer)
  }

  init(tracer: any Tracer) {
    self.tracer = tracer
  }

  func origin() -> (any Sendable)? { ServiceContext.current }

  func publishing(_ work: TracedWork, origins: [any Sendable], _ body: () -> Void) {
    let contexts = origins.compactMap { $0 as? ServiceContext }
    let links = contexts.dropFirst().map { SpanLink(context: $0, attributes: [:]) }
    span("starling publish", of: work, in: contexts.first ?? .topLevel, ofKind: .producer, links, body)
  }

  func merging(_ work: TracedWork, _ body: () -> Void) {
    span("starling merge", of: work, in: .topLevel, ofKind: .consumer, [], body)
  }

  private func span(
    _ name: String, of work: TracedWork, in context: ServiceContext, ofKind kind: SpanKind, _ links: [SpanLink],
    _ body: () -> Void
  ) {
    tracer.withAnySpan(name, context: context, ofKind: kind) { span in
      for link in links { span.addLink(link) }
      span.updateAttributes { attributes in
        attributes["starling.document"] = work.document.name
        attributes["starling.changes"] = work.changeCount
        attributes["starling.first"] = "\(work.first)"
        attributes["starling.last"] = "\(work.last)"
      }
      body()
    }
  }
}
