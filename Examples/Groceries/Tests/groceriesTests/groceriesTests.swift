import Testing

@testable import groceries

@Suite struct `A shopping list` {
  @Test func `marks what was bought`() {
    let list = ShoppingList()
    list.add("milk")
    list.add("bread")
    list.buy("milk")
    #expect(list.text == "[x] milk\n[ ] bread")
  }
}
