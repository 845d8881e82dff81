import Foundation
import StarlingTerminal
import StarlingView
import Testing

private struct Measured: View {
  var body: some View {
    GeometryReader { space in Text("\(Int(space.size.width)) by \(Int(space.size.height))") }
  }
}

private struct Diagonal: StarlingView.Layout {
  func sizeThatFits(proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) -> CGSize {
    let sizes = subviews.map { $0.sizeThatFits(.unspecified) }
    return CGSize(width: sizes.reduce(8) { $0 + $1.width }, height: sizes.reduce(0) { $0 + $1.height })
  }

  func placeSubviews(in bounds: CGRect, proposal: ProposedViewSize, subviews: Subviews, cache: inout Void) {
    var point = bounds.origin
    for subview in subviews {
      let size = subview.sizeThatFits(.unspecified)
      subview.place(at: point, proposal: .unspecified)
      point = CGPoint(x: point.x + size.width + CGFloat(subview[Gap.self]), y: point.y + size.height)
    }
  }
}

private struct Gap: LayoutValueKey {
  static let defaultValue = 0
}

@MainActor @Suite struct `A view that asks for its space` {
  @Test func `is told it by the host, and told again when it changes`() {
    let host = HeadlessHost { Measured() }
    #expect(host.text == ["640 by 384"])
    host.size = CGSize(width: 100, height: 50)
    #expect(host.text == ["100 by 50"])
  }

  @Test func `is told it in cells by a terminal, less what stands around it`() {
    var screen = Screenshots(columns: 30, rows: 8) {
      VStack(alignment: .leading) {
        Text("Title")
        Measured()
      }
    }
    #expect(screen.lines == ["Title", "240 by 112"])
    screen.columns = 20
    #expect(screen.lines == ["Title", "160 by 112"])
  }
}

@MainActor @Suite struct `A grid` {
  @Test func `makes each column as wide as its widest cell`() {
    let screen = Screenshots {
      Grid(alignment: .leading) {
        GridRow {
          Text("a")
          Text("long")
          Text("x")
        }
        GridRow {
          Text("wide")
          Text("b")
          Text("y")
        }
        Text("all of it")
        GridRow {
          Text("two of it").gridCellColumns(2)
          Text("z")
        }
      }
    }
    #expect(screen.lines == ["a    long x", "wide b    y", "all of it", "two of it z"])
  }

  @Test func `shares the width among columns, and begins a row where one is full`() {
    let screen = Screenshots(columns: 20) {
      LazyVGrid(columns: [GridItem(.fixed(32)), GridItem(.flexible())], alignment: .leading) {
        ForEach(1..<4) { Text("n\($0)") }
      }
    }
    #expect(screen.lines == ["n1   n2", "n3"])
    let adaptive = Screenshots(columns: 20) {
      LazyVGrid(columns: [GridItem(.adaptive(minimum: 40))], alignment: .leading) {
        ForEach(1..<5) { Text("n\($0)") }
      }
    }
    #expect(adaptive.lines == ["n1     n2     n3", "n4"])
  }

  @Test func `is read row by row`() {
    let host = HeadlessHost {
      Grid {
        GridRow {
          Text("a")
          Text("b")
        }
      }
    }
    #expect(host.text == ["a", "b"])
  }
}

private struct Switching: View {
  @State private var isWide = false

  var body: some View {
    let layout = isWide ? AnyLayout(HStackLayout()) : AnyLayout(VStackLayout(alignment: .leading))
    layout {
      Counter()
      Text("b")
    }
    Button("Turn") { isWide.toggle() }
  }
}

private struct Counter: View {
  @State private var count = 0

  var body: some View { Button("\(count)") { count += 1 } }
}

@MainActor @Suite struct `A layout of one's own` {
  @Test func `places its views`() {
    let screen = Screenshots {
      Diagonal {
        Text("ab").layoutValue(key: Gap.self, value: 8)
        Text("cd")
        Text("ef")
      }
    }
    #expect(screen.lines == ["ab", "   cd", "     ef"])
  }

  @Test func `becomes another, and its views keep their state`() {
    let screen = Screenshots { Switching() }
    screen.press(.tab)
    screen.press(.enter)
    #expect(screen.lines == ["› 1 ‹", "b", "[ Turn ]"])
    screen.press(.tab)
    screen.press(.enter)
    #expect(screen.lines == ["[ 1 ] b", "› Turn ‹"])
  }
}
