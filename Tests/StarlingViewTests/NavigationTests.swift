import Foundation
import StarlingView
import Testing

struct SoughtRecipe: Hashable, Identifiable, Codable {
  let id: Int
  var name: String
}

private let recipes = [SoughtRecipe(id: 1, name: "Soup"), SoughtRecipe(id: 2, name: "Bread")]

private struct Book: View {
  @Binding var path: NavigationPath

  var body: some View {
    NavigationStack(path: $path) {
      List(recipes) { NavigationLink($0.name, value: $0) }
        .navigationTitle("Recipes")
        .navigationDestination(for: SoughtRecipe.self) { Page(recipe: $0) }
        .navigationDestination(for: Int.self) { Text("Step \($0)") }
    }
  }
}

private struct Page: View {
  @State private var portions = 1
  @Environment(\.dismiss) private var dismiss
  let recipe: SoughtRecipe

  var body: some View {
    Text("\(recipe.name) for \(portions)")
    Button("More") { portions += 1 }
    NavigationLink("Step", value: 3)
    NavigationLink("Elsewhere", value: "nowhere")
    Button("Close") { dismiss() }
  }
}

@MainActor private final class Route: ObservableObject {
  @Published var path = NavigationPath()
}

private struct RouteView: View {
  @ObservedObject var route: Route

  var body: some View { Book(path: $route.path) }
}

@MainActor @Suite struct `A navigation stack` {
  private let route = Route()
  private let host: HeadlessHost

  init() {
    let route = route
    host = HeadlessHost { RouteView(route: route) }
  }

  @Test func `pushes the value of a link onto its path`() throws {
    #expect(host.text == ["Recipes", "Soup", "Bread"])
    try host.tap("Bread")
    #expect(route.path == NavigationPath([recipes[1]]))
    #expect(host.text == ["Bread for 1", "More", "Step", "Elsewhere", "Close", "Back"])
  }

  @Test func `shows what a program puts into its path, and takes the last value off when a person goes back`() throws {
    route.path.append(recipes[0])
    route.path.append(7)
    #expect(host.text == ["Step 7", "Back"])
    try host.goBack()
    #expect(route.path.count == 1)
    try host.tap("Close")
    #expect(route.path.isEmpty)
    #expect(throws: HeadlessHostError.self) { try host.goBack() }
  }

  @Test func `keeps the state of a screen while it is covered`() throws {
    try host.tap("Soup")
    try host.tap("More")
    try host.tap("Step")
    try host.tap("Back")
    #expect(host.text.first == "Soup for 2")
    route.path = NavigationPath()
    #expect(host.text.first == "Recipes")
  }

  @Test func `says that nothing stands for a value`() throws {
    try host.tap("Soup")
    try host.tap("Elsewhere")
    #expect(host.diagnostics.map(\.kind) == [.missingDestination])
  }

  @Test func `stores a path and reads it again`() throws {
    let path = NavigationPath([AnyHashable(recipes[0]), AnyHashable(5)])
    let codable = try #require(NavigationPath([recipes[0]]).codable)
    let read = try JSONDecoder().decode(
      NavigationPath.CodableRepresentation.self, from: JSONEncoder().encode(codable))
    #expect(NavigationPath(read) == NavigationPath([recipes[0]]))
    #expect(path.count == 2)
    struct Local: Hashable, Codable {}
    #expect(NavigationPath([Local()]).codable == nil)
    struct Plain: Hashable {}
    #expect(NavigationPath([Plain()]).codable == nil)
  }
}

private struct Steps: View {
  @State private var path: [Int] = []
  @State private var isAsking = false
  @State private var chosen: SoughtRecipe?

  var body: some View {
    NavigationStack(path: $path) {
      VStack {
        Text("Path \(path.count)")
        Button("Ask") { isAsking = true }
        Button("Choose") { chosen = recipes[1] }
        NavigationLink("One", value: 1)
        NavigationLink("Further") { Text("A view") }
      }
      .navigationDestination(for: Int.self) { number in
        Text("Number \(number) of \(path.count)")
        NavigationLink("Next", value: number + 1)
        Button("Home") { path = [] }
      }
      .navigationDestination(isPresented: $isAsking) { Button("No") { isAsking = false } }
      .navigationDestination(item: $chosen) { Text($0.name) }
    }
  }
}

@MainActor @Suite struct `A stack with values of one type` {
  private let host = HeadlessHost { Steps() }

  @Test func `evaluates its screens when its path changes`() throws {
    try host.tap("One")
    try host.tap("Next")
    #expect(host.text == ["Number 2 of 2", "Next", "Home", "Back"])
    try host.tap("Home")
    #expect(host.text.first == "Path 0")
  }

  @Test func `shows what a binding presents, and tells it of going back`() throws {
    try host.tap("Ask")
    #expect(host.text == ["No", "Back"])
    try host.tap("No")
    #expect(host.text.first == "Path 0")
    try host.tap("Choose")
    #expect(host.text == ["Bread", "Back"])
    try host.goBack()
    #expect(host.text.first == "Path 0")
    try host.tap("Choose")
    #expect(host.text == ["Bread", "Back"])
  }

  @Test func `leads to views that are no values`() throws {
    try host.tap("Further")
    #expect(host.text == ["A view", "Back"])
  }
}

private struct Sheeted: View {
  @State private var isShown = false

  var body: some View {
    Text(isShown ? "Shown" : "Hidden")
    Button("Show") { isShown = true }
      .sheet(isPresented: $isShown) { NavigationStack { Closer() } }
  }
}

private struct Closer: View {
  @Environment(\.dismiss) private var dismiss

  var body: some View { Button("Cancel") { dismiss() } }
}

private struct Columns: View {
  @State private var selected: Int?
  @State private var shown = NavigationSplitViewVisibility.all

  var body: some View {
    NavigationSplitView(columnVisibility: $shown) {
      List(recipes, selection: $selected) { NavigationLink($0.name, value: $0.id) }
    } detail: {
      Text(selected.map { "Detail \($0)" } ?? "Nothing")
      Button("Narrow") { shown = .detailOnly }
    }
  }
}

private struct LinkedColumns: View {
  var body: some View {
    NavigationSplitView {
      List(recipes) { NavigationLink($0.name, value: $0) }
        .navigationDestination(for: SoughtRecipe.self) { Page(recipe: $0) }
        .navigationDestination(for: Int.self) { Text("Step \($0)") }
    } detail: {
      Text("Welcome")
    }
  }
}

@MainActor @Suite struct `A split view` {
  @Test func `selects what a link in a list with a selection names`() throws {
    let host = HeadlessHost { Columns() }
    #expect(host.text == ["Soup", "Bread", "Nothing", "Narrow"])
    try host.tap("Bread")
    #expect(host.text == ["Soup", "Bread", "Detail 2", "Narrow"])
    try host.tap("Narrow")
    #expect(host.text == ["Detail 2", "Narrow"])
  }

  @Test func `shows what a link of its first column leads to in the last, in place of what was there`() throws {
    let host = HeadlessHost { LinkedColumns() }
    try host.tap("Soup")
    try host.tap("Bread")
    #expect(host.text == ["Soup", "Bread", "Bread for 1", "More", "Step", "Elsewhere", "Close"])
    try host.tap("Step")
    #expect(host.text == ["Soup", "Bread", "Step 3", "Back"])
    try host.goBack()
    #expect(host.text[2] == "Bread for 1")
  }
}

@MainActor @Suite struct `The first screen of a stack` {
  @Test func `dismisses the sheet in which the stack stands`() throws {
    let host = HeadlessHost { Sheeted() }
    try host.tap("Show")
    try host.tap("Cancel")
    #expect(host.text == ["Hidden", "Show"])
  }
}
