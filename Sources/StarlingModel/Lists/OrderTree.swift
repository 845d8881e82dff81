/// Names in an order that is edited anywhere: a tree in which each node counts those below it, so that an
/// index leads to an element and an element to its index.
///
/// ```
///            d 5              index 3: left of d are 3, so d itself
///          ╱     ╲            index of c: 0 left of it, and b with all left of b: 2
///        b 3      e 1
///       ╱   ╲
///     a 1   c 1               a node's rank is made of its number; the greater stands above the lesser
/// ```
///
/// - Complexity: O(log *n*) for a name, on average over the ranks.
struct OrderTree {
  /// What an element is called for as long as it is in the order; never used again.
  typealias Name = UInt64

  private struct Node {
    var name: Name
    var rank: UInt64
    var count: Int32 = 1
    var left: Int32 = -1
    var right: Int32 = -1
    var parent: Int32 = -1
  }

  private var nodes: ContiguousArray<Node> = []
  private var free: ContiguousArray<Int32> = []
  private var places: [Name: Int32] = [:]
  private var root: Int32 = -1
  private var nextName: Name = 1

  var count: Int { Int(count(root)) }

  // MARK: Reading

  func name(at index: Int) -> Name { nodes[Int(node(at: index))].name }

  func place(of name: Name) -> Int? { places[name].map { Int($0) } }

  func index(of name: Name) -> Int? {
    guard var node = places[name] else { return nil }
    var index = Int(count(nodes[Int(node)].left))
    while nodes[Int(node)].parent >= 0 {
      let parent = nodes[Int(node)].parent
      if nodes[Int(parent)].right == node { index += Int(count(nodes[Int(parent)].left)) + 1 }
      node = parent
    }
    return index
  }

  /// - Complexity: O(*n*)
  var names: [Name] {
    var names: [Name] = []
    names.reserveCapacity(count)
    var (path, node) = ([Int32](), root)
    while node >= 0 || !path.isEmpty {
      while node >= 0 {
        path.append(node)
        node = nodes[Int(node)].left
      }
      let next = path.removeLast()
      names.append(nodes[Int(next)].name)
      node = nodes[Int(next)].right
    }
    return names
  }

  // MARK: Editing

  /// - Parameter name: of an element that was taken out before; nil for a new one.
  /// - Returns: with the place where it keeps its content: behind all others, or one that was given back.
  mutating func insert(at index: Int, as name: Name?) -> (name: Name, place: Int) {
    let name = name ?? makeName()
    let node = Node(name: name, rank: name &* 0x9E37_79B9_7F4A_7C15)
    let place: Int32
    if let last = free.popLast() {
      place = last
      nodes[Int(place)] = node
    } else {
      place = Int32(nodes.count)
      nodes.append(node)
    }
    places[name] = place
    let (before, behind) = split(root, index)
    setRoot(merge(merge(before, place), behind))
    return (name, Int(place))
  }

  mutating func remove(at index: Int) -> (name: Name, place: Int) {
    let (before, rest) = split(root, index)
    let (place, behind) = split(rest, 1)
    setRoot(merge(before, behind))
    let name = nodes[Int(place)].name
    free.append(place)
    places[name] = nil
    return (name, Int(place))
  }

  private mutating func makeName() -> Name {
    defer { nextName += 1 }
    return nextName
  }

  // MARK: The tree

  private func count(_ node: Int32) -> Int32 { node < 0 ? 0 : nodes[Int(node)].count }

  private func node(at index: Int) -> Int32 {
    var (node, left) = (root, Int32(index))
    while true {
      let before = count(nodes[Int(node)].left)
      if left == before { return node }
      if left < before {
        node = nodes[Int(node)].left
      } else {
        left -= before + 1
        node = nodes[Int(node)].right
      }
    }
  }

  private mutating func setRoot(_ node: Int32) {
    root = node
    if node >= 0 { nodes[Int(node)].parent = -1 }
  }

  private mutating func set(left: Int32, right: Int32, of node: Int32) {
    nodes[Int(node)].left = left
    nodes[Int(node)].right = right
    nodes[Int(node)].count = count(left) + count(right) + 1
    if left >= 0 { nodes[Int(left)].parent = node }
    if right >= 0 { nodes[Int(right)].parent = node }
  }

  private mutating func merge(_ before: Int32, _ behind: Int32) -> Int32 {
    if before < 0 { return behind }
    if behind < 0 { return before }
    if nodes[Int(before)].rank > nodes[Int(behind)].rank {
      let right = merge(nodes[Int(before)].right, behind)
      set(left: nodes[Int(before)].left, right: right, of: before)
      return before
    }
    let left = merge(before, nodes[Int(behind)].left)
    set(left: left, right: nodes[Int(behind)].right, of: behind)
    return behind
  }

  /// The first `index` nodes, and the others.
  private mutating func split(_ node: Int32, _ index: Int) -> (Int32, Int32) {
    if node < 0 { return (-1, -1) }
    let left = nodes[Int(node)].left
    let before = Int(count(left))
    if index <= before {
      let (first, rest) = split(left, index)
      set(left: rest, right: nodes[Int(node)].right, of: node)
      nodes[Int(node)].parent = -1
      if first >= 0 { nodes[Int(first)].parent = -1 }
      return (first, node)
    }
    let (first, rest) = split(nodes[Int(node)].right, index - before - 1)
    set(left: left, right: first, of: node)
    nodes[Int(node)].parent = -1
    if rest >= 0 { nodes[Int(rest)].parent = -1 }
    return (node, rest)
  }
}
