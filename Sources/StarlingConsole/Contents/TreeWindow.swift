import StarlingCore
import StarlingReplica

/// The part of a container that a page looks at.
struct TreeWindow: Hashable, Sendable {
  var container = DocumentTree.Container.root
  /// Where the container stands; nil for the root.
  var outer: DocumentTree.Slot?
  var from = 0
  var count = TreeWindow.countMax
  /// Only keys that begin so; empty for all.
  var prefix = ""

  static let countMax = 200
}

/// One line of the tree.
struct TreeRow: Hashable, Sendable {
  var key: Key
  var name: String
  /// What kind of value it is, in a word.
  var kind: String
  /// A single value as text; of a container nothing.
  var text = ""
  /// Whether the text is longer than what is shown.
  var isCut = false
  /// Of a container, and how much it holds; of a text its scalars.
  var container: DocumentTree.Container?
  var count: Int?
  /// Values beside the visible one.
  var conflictCount = 0
  /// The writer of the visible value, and the time by its clock; nil of a counter, which many write.
  var writer: ReplicaID?
  var milliseconds: UInt64?

  static let textCountMax = 2000
}

/// What a window shows.
struct WindowContents: Hashable, Sendable {
  /// How much the container holds that the window's prefix admits.
  var total = 0
  var rows: [TreeRow] = []
}

extension DocumentTree {
  /// Whether the window's container still stands where the page saw it.
  func shows(_ window: TreeWindow) -> Bool {
    guard let outer = window.outer else { return window.container == .root }
    return container(under: outer.key, in: outer.object) == window.container
  }

  /// What the window shows; nil where its container has gone.
  ///
  /// - Parameter keys: the keys that the window's prefix admits, in their order; nil to have them listed here.
  /// - Complexity: O(rows), and O(*n* log *n*) where keys are listed
  func contents(of window: TreeWindow, keys: [Key]? = nil) -> WindowContents? {
    guard shows(window) else { return nil }
    let (object, kind) = (window.container.object, window.container.kind)
    switch kind {
    case .text: return WindowContents()
    case .list:
      let total = document.count(in: object)
      let start = min(max(0, window.from), total)
      let range = start..<min(total, start + min(max(0, window.count), TreeWindow.countMax))
      let elements = document.elements(range, in: object)
      return WindowContents(
        total: total, rows: zip(range, elements).map { row(.element($1), in: object, name: "\($0)") })
    default:
      let keys = keys ?? listedKeys(of: window.container, prefix: window.prefix)
      let start = min(max(0, window.from), keys.count)
      let end = min(keys.count, start + min(max(0, window.count), TreeWindow.countMax))
      // A list of keys may be older than the document.
      let present = keys[start..<end].filter { document.contains($0, in: object) }
      return WindowContents(
        total: keys.count,
        rows: present.map { key in
          kind == .set
            ? TreeRow(key: key, name: Self.name(of: key), kind: "member")
            : row(key, in: object, name: Self.name(of: key))
        })
    }
  }

  /// The keys of a container in their order, as far as they begin with the prefix.
  ///
  /// - Complexity: O(*n* log *n*)
  func listedKeys(of container: Container, prefix: String) -> [Key] {
    let keys = document.keys(in: container.object)
    return (prefix.isEmpty ? keys : keys.filter { Self.name(of: $0).hasPrefix(prefix) }).sorted()
  }

  func row(_ key: Key, in object: ObjectID, name: String) -> TreeRow {
    let visible = document.visible(key, in: object)
    let entries = document.entries(key, in: object)
    var row = TreeRow(key: key, name: name, kind: "nothing")
    if entries.count > 1, entries.contains(where: { $0.value != entries[0].value || $0.value.isAssignedObject }) {
      row.conflictCount = entries.count - 1
    }
    if let first = entries.first {
      row.writer = first.dot.replica
      row.milliseconds = first.stamp.milliseconds
    }
    if let container = container(visible, under: key, in: object) {
      row.kind = container.kind.text
      row.container = container
      switch container.kind {
      case .text:
        let count = document.count(in: container.object)
        row.count = count
        row.text = document.text(0..<min(count, TreeRow.textCountMax), in: container.object)
        row.isCut = count > TreeRow.textCountMax
        row.container = nil
      case .list: row.count = document.count(in: container.object)
      default: row.count = document.keyCount(in: container.object)
      }
      return row
    }
    row.kind = visible.kindText
    if case .count = visible { (row.writer, row.milliseconds) = (nil, nil) }
    if let value = Self.plain(visible) {
      (row.text, row.isCut) = (value.text ?? value.description).cut(to: TreeRow.textCountMax)
    }
    return row
  }
}

extension Visible {
  fileprivate var kindText: String {
    switch self {
    case .absent, .container: "nothing"
    case .count: "counter"
    case .value(let value, by: _):
      switch value {
      case .null: "null"
      case .bool: "bool"
      case .integer, .unsigned: "integer"
      case .double: "double"
      case .string: "string"
      case .bytes: "bytes"
      case .json: "json"
      case .date: "date"
      case .reference: "reference"
      case .object(let kind), .derived(let kind): kind.text
      case .unknown: "unknown"
      }
    }
  }
}

extension Value {
  fileprivate var isAssignedObject: Bool { if case .object = self { true } else { false } }
}

// MARK: As JSON

extension TreeRow {
  var json: JSONValue {
    var json: JSONValue = ["name": .string(name), "kind": .string(kind), "text": .string(text)]
    if isCut { json["cut"] = true }
    if let container { json["object"] = .string(container.object.text) }
    if let count { json["count"] = .integer(Int64(count)) }
    if conflictCount > 0 { json["conflicts"] = .integer(Int64(conflictCount)) }
    if let writer { json["writer"] = .string(writer.description) }
    if let milliseconds { json["at"] = .unsigned(milliseconds) }
    return json
  }
}

extension WindowContents {
  /// What a page lacks that was sent `former`: nil where it lacks nothing.
  func update(from former: WindowContents?) -> JSONValue? {
    guard self != former else { return nil }
    var known: [Key: TreeRow] = [:]
    for row in former?.rows ?? [] { known[row.key] = row }
    let changed = rows.filter { known[$0.key] != $0 }.map { JSONValue.Member($0.key.text, $0.json) }
    var update: JSONValue = ["total": .integer(Int64(total)), "rows": .object(sorting: changed)]
    if former?.rows.map(\.key) != rows.map(\.key) { update["keys"] = .array(rows.map { .string($0.key.text) }) }
    return update
  }
}
