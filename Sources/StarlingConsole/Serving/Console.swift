import Foundation
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingReplica

/// Serves pages: keeps what each was sent, and hands it what differs from that by now.
///
/// ```
///   engine ──patches──► DocumentWatch ──signal──┐
///   once a second: status, measurements ─signal─┤        one message at a time: what the page was
///                                               ▼        sent, compared with what there is now
///   page ◄──server-sent events── PageStream ◄── update(of:)
/// ```
///
/// No page has a queue. While one is slow nothing is made for it; when it can take more it is handed what differs from
/// what it has, however much happened since.
actor Console {
  let replica: BareReplica
  private let events: ConsoleEvents
  private var pages: [Int: Page] = [:]
  private var pageCount = 0
  private var group: JSONValue = nil
  private var figures = Figures()
  private var lags = LagTable()
  private var watches: [DocumentID: DocumentWatch] = [:]
  private var orders: [DocumentID: KeyOrders] = [:]
  private var conflicts: [DocumentID: ConflictList] = [:]
  var histories: [HistorySession] = []
  var historyCount = 0
  private var isClosed = false
  private var ticking: Task<Void, Never>?

  /// So many pages can be open at once.
  static let pageCountMax = 32
  private static let silenceMax: Duration = .seconds(10)

  /// What one page looks at, and what it was sent of it.
  private struct Page {
    var view = PageView()
    let signal: AsyncStream<Void>.Continuation
    var sent = Sent()
    var last = ContinuousClock.now
  }

  private struct Sent {
    var hasGreeting = false
    var group: JSONValue = nil
    var figureCount = 0
    var document: DocumentID?
    var changeCount = -1
    var view: PageView?
    var windows: [ObjectID: WindowContents] = [:]
    var conflicts: JSONValue = nil
    var isStale = false
  }

  private struct ConflictList {
    var json: JSONValue = nil
    var task: Task<Void, Never>?
    var next = ContinuousClock.now
  }

  init(of replica: BareReplica, events: ConsoleEvents) {
    self.replica = replica
    self.events = events
  }

  // MARK: Life

  func start() {
    ticking = Task { [weak self] in
      var seconds = 0
      while !Task.isCancelled {
        await self?.tick(isRare: !seconds.isMultiple(of: 10))
        seconds += 1
        guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
      }
    }
  }

  func close() {
    isClosed = true
    ticking?.cancel()
    for page in pages.values { page.signal.finish() }
    pages = [:]
  }

  /// Looks at the group: once a second while somebody watches, every ten seconds otherwise.
  private func tick(isRare: Bool) async {
    if pages.isEmpty, isRare { return }
    await look()
    signalAll()
  }

  func look() async {
    let (status, measured) = (await replica.status(), await replica.engine.measure())
    let now = Date.millisecondsNow
    lags.note(
      Dictionary(measured.documents.map { ($0.id, $0.operations) }, uniquingKeysWith: { first, _ in first }), at: now)
    let contents = GroupContents(
      replica.group, status, measured, writer: replica.writer, lags: lags, incidents: events.incidents, at: now)
    figures.add(measured, lag: contents.lagMilliseconds, memory: ProcessMemory.resident, at: now)
    group = contents.json
  }

  func dismissIncidents() async {
    events.dismiss()
    await look()
    signalAll()
  }

  private func signalAll() {
    for page in pages.values { page.signal.yield() }
  }

  // MARK: Pages

  /// Opens a page; nil where too many are.
  func open() -> (id: Int, signals: AsyncStream<Void>)? {
    guard !isClosed, pages.count < Self.pageCountMax else { return nil }
    pageCount += 1
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    pages[pageCount] = Page(signal: signal)
    return (pageCount, signals)
  }

  func leave(_ id: Int) {
    pages.removeValue(forKey: id)?.signal.finish()
    updateWatches()
  }

  /// The page looks at something else.
  func look(at view: PageView, from id: Int) async throws {
    guard pages[id] != nil else { throw CommandError("This page is not connected; it connects again by itself.") }
    if let document = view.document { _ = try await watch(document) }
    pages[id]?.view = view
    updateWatches()
    pages[id]?.signal.yield()
  }

  private func updateWatches() {
    let seen = Set(pages.values.compactMap(\.view.document))
    for (document, watch) in watches { watch.setWatched(seen.contains(document)) }
    for document in Array(orders.keys) where !seen.contains(document) {
      orders[document] = nil
      conflicts.removeValue(forKey: document)?.task?.cancel()
    }
  }

  func watch(_ document: DocumentID) async throws -> DocumentWatch {
    if let watch = watches[document] { return watch }
    guard await replica.status().documents.contains(document) else {
      throw CommandError("This daemon has no document '\(document)'.")
    }
    let handle = try await replica.engine.open(document)
    if let watch = watches[document] { return watch }
    let watch = DocumentWatch(handle) { [weak self] in
      Task { await self?.signalAll(of: document) }
    }
    watches[document] = watch
    return watch
  }

  private func signalAll(of document: DocumentID) {
    for page in pages.values where page.view.document == document { page.signal.yield() }
  }

  // MARK: Updates

  /// What the page lacks by now; nil where it lacks nothing, and empty after a long silence, which shows that it lives.
  func update(of id: Int) async -> String? {
    guard var page = pages[id] else { return nil }
    if group == .null { await look() }
    var update: JSONValue = [:]
    if !page.sent.hasGreeting {
      update["hello"] = ["page": .integer(Int64(id)), "run": .string(Self.run), "window": .integer(200)]
      page.sent.hasGreeting = true
    }
    if page.sent.group != group {
      update["group"] = group
      page.sent.group = group
    }
    if let samples = figures.update(since: page.sent.figureCount) {
      update["figures"] = samples
      page.sent.figureCount = figures.count
    }
    if let document = page.view.document, let watch = watches[document] {
      addTree(of: document, watch, to: &update, &page)
      addConflicts(of: document, watch, to: &update, &page)
    }
    let isEmpty = update == [:]
    let now = ContinuousClock.now
    let isSilent = isEmpty && now - page.last > Self.silenceMax
    if !isEmpty || isSilent { page.last = now }
    // Another call of the actor may have closed it, or set its view.
    guard let present = pages[id] else { return nil }
    page.view = present.view
    pages[id] = page
    if isSilent { return ": here\n\n" }
    return isEmpty ? nil : "data: \(update)\n\n"
  }

  /// Names this run of the daemon, so that a page knows a restart.
  private static let run = String(Date.millisecondsNow, radix: 36)

  private func addTree(of document: DocumentID, _ watch: DocumentWatch, to update: inout JSONValue, _ page: inout Page)
  {
    let changeCount = watch.changeCount
    guard page.sent.changeCount != changeCount || page.sent.view != page.view || page.sent.isStale else { return }
    if page.sent.document != document { page.sent.windows = [:] }
    var orders = orders[document] ?? KeyOrders()
    orders.note(reordered: watch.takeReordered())
    let keys = page.view.windows.map { orders.keys(for: $0, in: watch.handle) }
    let windows = page.view.windows
    // One taking of the lock: all windows show one moment.
    let contents = watch.handle.read { document in
      let tree = DocumentTree(copy document)
      return zip(windows, keys).map { tree.contents(of: $0, keys: $1) }
    }
    var changed: [JSONValue.Member] = []
    var sent: [ObjectID: WindowContents] = [:]
    for (window, contents) in zip(windows, contents) {
      let object = window.container.object
      guard let contents else {
        changed.append(JSONValue.Member(object.text, .null))
        continue
      }
      if let update = contents.update(from: page.sent.windows[object]) {
        changed.append(JSONValue.Member(object.text, update))
      }
      sent[object] = contents
    }
    page.sent.isStale = orders.isAnyStale
    self.orders[document] = orders
    (page.sent.document, page.sent.changeCount) = (document, changeCount)
    (page.sent.view, page.sent.windows) = (page.view, sent)
    if !changed.isEmpty {
      update["tree"] = ["document": .string(document.name), "windows": .object(sorting: changed)]
    }
  }

  private func addConflicts(
    of document: DocumentID, _ watch: DocumentWatch, to update: inout JSONValue, _ page: inout Page
  ) {
    var list = conflicts[document] ?? ConflictList()
    let now = ContinuousClock.now
    if list.task == nil, now >= list.next, watch.takeConflictsStale() {
      list.task = Task.detached { [weak self] in
        let start = ContinuousClock.now
        let json = Self.conflicts(in: watch.json)
        await self?.found(json, in: document, after: ContinuousClock.now - start)
      }
    }
    conflicts[document] = list
    if page.sent.conflicts != list.json {
      update["conflicts"] = list.json
      page.sent.conflicts = list.json
    }
  }

  private static let conflictCountMax = 100

  private static func conflicts(in document: JSONDocument) -> JSONValue {
    let found = (try? document.conflicts()) ?? []
    return [
      "document": .string(document.id.name), "count": .integer(Int64(found.count)),
      "list": .array(found.prefix(conflictCountMax).map(\.json)),
    ]
  }

  /// A walk through a large document is not made again soon.
  private func found(_ json: JSONValue, in document: DocumentID, after cost: Duration) {
    guard conflicts[document] != nil else { return }
    conflicts[document] = ConflictList(json: json, next: .now + max(.milliseconds(100), cost * 10))
    signalAll(of: document)
  }
}

/// What this process has resident.
enum ProcessMemory {
  /// In bytes; nil where the system does not tell.
  static var resident: UInt64? {
    #if os(Linux)
      // The second number is the resident set in pages (proc(5), "statm").
      guard let data = FileManager.default.contents(atPath: "/proc/self/statm") else { return nil }
      let numbers = String(decoding: data, as: UTF8.self).split(separator: " ")
      return numbers.count > 1 ? UInt64(numbers[1]).map { $0 * UInt64(sysconf(Int32(_SC_PAGESIZE))) } : nil
    #else
      return nil
    #endif
  }
}
