/// Elements in an order that is edited anywhere, each under a name that leads to it.
///
/// - Complexity: as of `OrderTree`, which is the same for all contents and so compiled for each.
struct ElementOrder<Content> {
  /// What an element is called for as long as it is in the order; never used again.
  typealias Name = OrderTree.Name

  private var tree = OrderTree()
  /// By the places of the tree.
  private var contents: ContiguousArray<Content?> = []
  /// How often elements came or went: an index stands for the same element for as long as this is the same.
  private(set) var version = 0

  var count: Int { tree.count }

  // MARK: Reading

  func name(at index: Int) -> Name { tree.name(at: index) }

  subscript(name: Name) -> Content? {
    tree.place(of: name).flatMap { contents[$0] }
  }

  func index(of name: Name) -> Int? { tree.index(of: name) }

  /// - Complexity: O(*n*)
  var names: [Name] { tree.names }

  // MARK: Editing

  /// - Parameter name: of an element that was taken out before; nil for a new one.
  @discardableResult
  mutating func insert(_ content: Content, at index: Int, as name: Name? = nil) -> Name {
    version &+= 1
    let (name, place) = tree.insert(at: index, as: name)
    if place == contents.count { contents.append(content) } else { contents[place] = content }
    return name
  }

  mutating func remove(at index: Int) -> (name: Name, content: Content) {
    version &+= 1
    let (name, place) = tree.remove(at: index)
    let content = contents[place]!
    contents[place] = nil
    return (name, content)
  }

  mutating func exchange(_ content: Content, of name: Name) -> Content? {
    guard let place = tree.place(of: name) else { return nil }
    let old = contents[place]
    contents[place] = content
    return old
  }
}
