import Foundation
import Starling

@Replicated final class Item: Sendable {
  var name = ""
  var isBought = false
}

@Replicated final class ShoppingList: Sendable {
  var items: [Item] = []

  var text: String {
    items.map { ($0.isBought ? "[x] " : "[ ] ") + $0.name }.joined(separator: "\n")
  }

  func add(_ name: String) {
    let item = Item()
    item.name = name
    items.append(item)
  }

  func buy(_ name: String) {
    for item in items where item.name == name { item.isBought = true }
  }
}

@main
struct Groceries {
  static func main() async throws {
    var options = Replica.Options()
    if let endpoint = ProcessInfo.processInfo.environment["GROCERIES_SERVER"] {
      options.connect = [endpoint]  // a daemon on another machine
      options.keys = KeyDirectory("keys")
      options.joinsThisMachine = false
    }
    let replica = try await Replica.open("groceries", options: options)
    let list = try replica.model(ShoppingList.self, named: "home")
    await replica.synchronize()  // fetches what the other processes have

    let words = CommandLine.arguments.dropFirst()
    let name = words.dropFirst().joined(separator: " ")
    switch words.first {
    case "add": list.add(name)
    case "buy": list.buy(name)
    default:
      for await text in ObservedValues({ list.text }) { print(text, terminator: "\n\n") }
    }
    try await replica.flush(until: .received(1))  // waits until another process has it
    try await replica.close()
  }
}
