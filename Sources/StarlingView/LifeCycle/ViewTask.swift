import StarlingModel

/// Runs a task while a view is in the tree; with another id it is cancelled and begins again.
struct TaskView<Content: View, ID: Equatable>: PrimitiveView {
  let content: Content
  let id: ID
  let priority: TaskPriority
  let action: @isolated(any) @Sendable () async -> Void

  func compose(in node: Node) -> Composition {
    let running = node.memory { RunningTask<ID>() }
    if running.id != id {
      let isFirst = running.id == nil
      running.id = id
      running.task?.cancel()
      running.task = nil
      if isFirst { node.onRemoval { running.task?.cancel() } }
      let (action, priority) = (action, priority)
      node.tree.afterward { [weak node] in
        guard let node, node.isAlive else { return }
        running.task = node.tree.run(priority, action)
      }
    }
    return Composition(content)
  }
}

private final class RunningTask<ID> {
  var id: ID?
  var task: Task<Void, Never>?
}

extension ViewTree {
  /// Runs a view's task, and knows how many have not ended.
  fileprivate func run(
    _ priority: TaskPriority, _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> Task<Void, Never> {
    openTasks += 1
    return Task(priority: priority) { [weak self] in
      await action()
      self?.openTasks -= 1
    }
  }
}

extension View {
  /// Runs a task once the view has come, and cancels it when the view goes.
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View {
    TaskView(content: self, id: 0, priority: priority, action: action)
  }

  /// The same, named for those who look at tasks from outside.
  public func task(
    name: String?, priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View {
    TaskView(content: self, id: 0, priority: priority, action: action)
  }

  /// Runs a task once the view has come, and again whenever `id` changes; the one before is cancelled.
  public func task(
    id: some Equatable, priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: @escaping @isolated(any) @Sendable () async -> Void
  ) -> some View {
    TaskView(content: self, id: id, priority: priority, action: action)
  }

  /// Lets views inside ask for their content to be loaded again.
  public func refreshable(action: @escaping @Sendable () async -> Void) -> some View {
    EnvironmentView(content: self) { $0.refresh = RefreshAction(action: action) }
  }
}
