import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard

/// What stands behind a `ReplicatedText`.
final class TextStorage: SequenceCore, @unchecked Sendable {
  // Sendable: what changes is guarded by `state`, the innermost lock; nothing in it is the user's.
  let state = Guarded(State())
  private let contents = Source()
  private let countSource = Source()
  private let marksSource = Source()
  let feed = TextFeed()

  struct State {
    var buffer = TextBuffer()
    var alignment = Alignment(both: 0)
    /// Whether the text is in no document.
    var isLoose = true
    /// Whether the text stands in a document where nobody has written it yet.
    var showsDefault = false
    /// Of a text on its own, or of a default.
    var looseMarks: [LooseMark] = []
    var marks: [MarkedRange] = []
    /// In the document: where marks came or went that are not visible yet.
    var unseenMarks: Range<Int>?
    /// The whole text, once somebody read it.
    var string: String?
    /// Counts the changes.
    var version = 0
  }

  /// One step of a write.
  enum Step {
    case replace(Range<Int>, String)
    // Apart, as it is rare and would make every step several times as large.
    indirect case mark(LooseMark)
  }

  // MARK: Reading

  var string: String {
    note(contents)
    return present.string
  }

  /// The text, noted for nobody, and which one it is.
  var present: (string: String, version: Int) {
    state.withLock { state in
      let string = state.string ?? state.buffer.string
      state.string = string
      return (string, state.version)
    }
  }

  var count: Int {
    note(countSource)
    return state.withLock { $0.buffer.count }
  }

  var marks: [MarkedRange] {
    note(marksSource)
    return state.withLock { $0.marks }
  }

  /// What is asked of the text as it stands.
  func read<Result: Sendable>(_ body: (TextBuffer) -> Result) -> Result {
    note(contents)
    return state.withLock { body($0.buffer) }
  }

  private func note(_ source: borrowing Source) {
    observation.note { source.track(in: home) }
  }

  // MARK: Cursors

  func edge(at index: Int, _ side: Side) -> Edge? {
    attachment?.space.handle.readPlaces(in: object) { document in
      state.withLock { state in
        if state.showsDefault { return nil }
        return document.edge(at: state.alignment.documentIndex(of: index), side, in: object)
      }
    }
  }

  func index(of edge: Edge) -> Int? {
    note(contents)
    return attachment?.space.handle.readPlaces(in: object) { document in
      document.index(of: edge, in: object).map { index in
        state.withLock { $0.alignment.visibleIndex(of: index) }
      }
    }
  }

  // MARK: Writing

  /// Takes steps one after another, each counting in what the one before left. Ranges beyond the text end with it.
  ///
  /// - Parameter version: of the text that the steps were worked out for; nil if they fit any.
  /// - Returns: False if the text was another.
  @discardableResult
  func write(_ steps: some Collection<Step>, ifStill version: Int? = nil) -> Bool {
    guard !steps.isEmpty else { return true }
    return batch {
      var done = Done()
      if withBinding({ writeAttached(steps, version, $0, &done) }) == nil {
        state.withLock { state in
          done.isFollowed = feed.isFollowed
          state.take(steps, version, &done) { _, _ in true }
          feed.add(done.edits, .local)
        }
      }
      if let refusal = done.refusal {
        ModelIncident.refuse(refusal)
        if let attachment { attachment.space.refresh([Subject(attachment: attachment, itemsOf: self)]) }
      }
      tell(done)
      return !done.isStale
    }
  }

  /// What a write or a delivery did, to be told with every lock released.
  struct Done {
    /// Whether somebody follows the edits: for nobody they are not kept.
    var isFollowed = false
    var edits: [TextEdits.Edit] = []
    /// Whether the text is another, or its marks were written.
    var isAltered = false
    var isTextAltered = false
    var countChanged = false
    var marksChanged = false
    var isStale = false
    var refusal: OversizedWrite?
  }

  private func writeAttached(
    _ steps: some Collection<Step>, _ version: Int?, _ binding: KeyedBinding, _ done: inout Done
  ) {
    let (attachment, text, lineage) = (binding.attachment, binding.object, binding.lineage)
    if attachment.space.isPast, attachment.refusesWrite(under: key) { return }
    var reach: Displacement?
    let isDone = attachment.space.write { document, patch in
      guard !attachment.isGone, lineage.base.isDerived || lineage.isLive(in: document) else { return false }
      if !isSmall(steps, beside: &document) {
        done.refusal = refusal(of: steps, attachment, &document)
        if done.refusal != nil { return true }
      }
      patch.listsPlainWrites = patch.isAwaited
      // Which it nearly always is: nothing need be derived.
      if !document.findDeclared(text) { lineage.declare(in: &document) }
      state.withLock { state in
        done.isFollowed = feed.isFollowed
        if state.showsDefault { state.leaveDefault(self, attachment, &document, &patch) }
        state.take(steps, version, &done) { step, alignment in
          step.perform(in: text, &document, &alignment, &patch)
          return !document.hasRefusal
        }
        if document.hasRefusal {
          done.refusal = document.takeRefusal()
          // Of several operations some may stand: what the document holds is shown.
          state.alignment = Alignment(visible: state.buffer.count, document: document.count(in: text))
        }
        if state.holdsMarks || document.holdsMarks(in: text) { state.readMarks(of: text, document, &done) }
        feed.add(done.edits, .local)
      }
      if patch.reachesHolders { reach = attachment.space.noteHolders(patch) }
      return true
    }
    if let reach { attachment.space.show(reach, of: attachment) }
    if !isDone { ModelIncident.report(.writeToRemoved(attachment.object, property: attachment.schema.label(at: key))) }
  }

  /// Whether it is one step, far from any limit: it need not be weighed, and is counted where it is written.
  @inline(__always)
  private func isSmall(_ steps: some Collection<Step>, beside document: inout Document) -> Bool {
    guard steps.count == 1, case .replace(_, let text)? = steps.first else { return false }
    return document.hasCapacityForText(of: text.utf8.count)
  }

  /// Why the steps are more than the change that is open may hold.
  private func refusal(
    of steps: some Collection<Step>, _ attachment: Attachment, _ document: inout Document
  ) -> OversizedWrite? {
    var weight = ChangeWeight()
    for step in steps { step.weigh(into: &weight) }
    return document.refusal(of: weight, under: key, in: attachment.object)
  }

  func tell(_ done: Done) {
    switch (done.isTextAltered, done.countChanged) {
    case (true, true): contents.touch(with: countSource, in: home)
    case (true, false): contents.touch(in: home)
    case (false, true): countSource.touch(in: home)
    case (false, false): break
    }
    if done.marksChanged { marksSource.touch(in: home) }
    if done.isTextAltered || done.marksChanged { observation.tell() }
    feed.send()
  }

  // MARK: What is written elsewhere

  override func note(_ edits: [SequenceEdit]) {
    state.withLock { state in
      for edit in edits { state.note(edit) }
    }
  }

  override func settle(besideItems count: Int) {
    state.withLock { $0.settle(besideItems: count) }
  }

  override func startAgain(_ document: borrowing Document) {
    state.withLock { state in
      state.alignment = Alignment(visible: state.buffer.count, document: document.count(in: object))
    }
  }

  override var alignedCount: Int { state.withLock { $0.alignment.documentCount } }

  /// What a delivery did.
  private final class Delivered {
    var done = Done()
  }

  override func readItems(_ document: borrowing Document) -> AnyObject { Delivered() }
  override func decodeItems(_ reading: AnyObject) {}

  /// Text needs no decoding, so all is done here.
  override func storeItems(_ reading: AnyObject, _ document: borrowing Document) -> Bool {
    let delivered = unsafeDowncast(reading, to: Delivered.self)
    state.withLock { state in
      if state.showsDefault, isUnwritten(in: document) { return }
      delivered.done.isFollowed = feed.isFollowed
      state.catchUp(with: object, document, &delivered.done)
      feed.add(delivered.done.edits, .remote)
    }
    return true
  }

  override func tellItems(_ reading: AnyObject) {
    tell(unsafeDowncast(reading, to: Delivered.self).done)
  }
}
