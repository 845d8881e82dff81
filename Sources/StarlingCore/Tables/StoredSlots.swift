/// Slots that lie in the bytes of a stored snapshot until somebody needs them, in blocks of consecutive keys.
///
/// ```
/// object:  block 0          block 1          block 2
///          a … f            g … p            q … z        keys ascend through all of them
/// ```
///
/// The bytes are this replica's own and were found whole, or were read to their end before
/// (Documentation/Decisions/lazy-snapshots.md): a store that comes upon anything else stops the program.
///
/// A class: a box for a value of any type would make each document one that no closure can borrow.
package protocol SlotStore: AnyObject, Sendable {
  /// The block in which a slot under `key` stands, if there is one.
  ///
  /// - Complexity: O(log(blocks))
  func block(holding key: Key, among blocks: Range<Int>) -> Int

  /// Ascending by key. None holds an object that it brought into being.
  func slots(in block: Int) -> [Snapshot.Slot]

  func slot(_ key: Key, in block: Int) -> Snapshot.Slot?

  /// All of a text that was left, if it lies there as it travels.
  func sequence(_ number: Int) -> Snapshot.Sequence

  /// The order of a text that was left, if it lies there leaf by leaf.
  func order(_ number: Int) -> StoredOrder?

  /// The spans of a leaf of such a text, which lies at `place`.
  func forEachSpan(at place: Range<Int>, _ body: (StoredOrder.Span) -> Void)

  func bytes(at place: Range<Int>) -> ArraySlice<UInt8>
}

/// A text without marks, whose runs are left in the store.
package struct StoredText: Sendable {
  package var object: ObjectID
  /// By which the store knows it.
  package var number: Int
  /// What a reader sees, one scalar at least.
  package var scalars: Scalars

  package init(object: ObjectID, number: Int, scalars: Scalars) {
    self.object = object
    self.number = number
    self.scalars = scalars
  }
}

/// The blocks of one object.
package struct StoredGroup: Sendable {
  package var object: ObjectID
  package var blocks: Range<Int>
  /// Those whose slots the snapshot lists beside the store.
  package var listed: [Int]
  /// How many slots are in the others, one at least.
  package var slotCount: Int

  package init(object: ObjectID, blocks: Range<Int>, listed: [Int], slotCount: Int) {
    self.object = object
    self.blocks = blocks
    self.listed = listed
    self.slotCount = slotCount
  }
}

/// The blocks and texts that a document has not opened yet. No slot of theirs has a row, and no row stands under a key
/// that lies within a block; the texts have no rows either.
struct UnopenedSlots: Sendable {
  let store: any SlotStore
  /// That of the snapshot.
  let version: VersionVector
  private var texts: [ObjectHandle: StoredText] = [:]
  /// For each object that has unopened blocks: all its blocks, and how many of them are unopened.
  private var groups: [ObjectHandle: (blocks: Range<Int>, left: Int)] = [:]
  /// By block.
  private var isOpened: ContiguousArray<Bool>

  init(of store: any SlotStore, version: VersionVector, blockCount: Int) {
    self.store = store
    self.version = version
    isOpened = ContiguousArray(repeating: false, count: blockCount)
  }

  var isEmpty: Bool { groups.isEmpty && texts.isEmpty }
  var objects: Set<ObjectHandle> { Set(groups.keys).union(texts.keys) }
  /// Nil where nothing is left.
  var anyObject: ObjectHandle? { groups.keys.first ?? texts.keys.first }

  /// An object some of whose blocks are unopened, and how many blocks are, of all objects.
  var anyObjectWithBlocks: ObjectHandle? { groups.keys.first }
  var blockCountLeft: Int { groups.values.reduce(0) { $0 + $1.left } }

  mutating func add(_ group: StoredGroup, of object: ObjectHandle) {
    for block in group.listed { isOpened[block] = true }
    groups[object] = (group.blocks, group.blocks.count - group.listed.count)
  }

  mutating func add(_ text: StoredText, of object: ObjectHandle) { texts[object] = text }

  func contains(_ object: ObjectHandle) -> Bool { groups[object] != nil || texts[object] != nil }

  func text(of object: ObjectHandle) -> Scalars? { texts[object]?.scalars }

  /// Takes the text away, which gets rows now.
  mutating func openText(of object: ObjectHandle) -> StoredText? { texts.removeValue(forKey: object) }

  /// The unopened block in which a slot under `key` stands, if there is one.
  func block(holding key: Key, of object: ObjectHandle) -> Int? {
    guard let group = groups[object] else { return nil }
    let block = store.block(holding: key, among: group.blocks)
    return isOpened[block] ? nil : block
  }

  /// How many blocks of the object are unopened, of how many.
  func left(of object: ObjectHandle) -> (blockCount: Int, wholeBlockCount: Int)? {
    groups[object].map { ($0.left, $0.blocks.count) }
  }

  func blocks(of object: ObjectHandle) -> [Int] {
    groups[object]?.blocks.filter { !isOpened[$0] } ?? []
  }

  func forEachSlot(_ body: (ObjectHandle, Snapshot.Slot) -> Void) {
    for (object, group) in groups {
      for block in group.blocks where !isOpened[block] {
        for slot in store.slots(in: block) { body(object, slot) }
      }
    }
  }

  func forEachText(_ body: (ObjectHandle, StoredText) -> Void) {
    for (object, text) in texts { body(object, text) }
  }

  /// Takes the block away, whose slots get rows now.
  mutating func open(_ block: Int, of object: ObjectHandle) {
    precondition(!isOpened[block], "Block \(block) of \(object) is open already.")
    isOpened[block] = true
    groups[object]!.left -= 1
    if groups[object]!.left == 0 { groups[object] = nil }
  }
}
