import Foundation
import StarlingTerminal
import StarlingView
import Testing

@testable import SyncDemo

@MainActor @Suite struct `The picture of the demonstration` {
  private func screen(
    at moment: Double, columns: Int = 80, rows: Int = 24, _ change: (inout DemoPicture) -> Void = { _ in }
  ) throws -> Screen {
    var picture = try Recording().picture(at: moment)
    picture.lead = .keys
    change(&picture)
    return Screen(picture, size: (columns, rows)) { _ in }
  }

  /// The rows of a terminal of the screen's size.
  private func rows(_ screen: Screen) -> [String] {
    let host = TerminalHost { PictureView(screen: screen) }
    let canvas = host.canvas(columns: screen.size.columns, rows: screen.size.rows)
    return (0..<screen.size.rows).map { canvas.text(ofRow: $0) }
  }

  @Test func `lights the readers that ran, and for a moment only`() throws {
    // A rename: the readers of the title run, everywhere, and no others.
    let lit = try Recording().picture(at: 1.95)
    for pane in lit.panes {
      #expect(pane.isLit("title", at: lit.now), "\(pane)")
      #expect(!pane.isLit("shelf", at: lit.now))
      #expect(pane.sight.runs["title"] == 1)
    }
    let host = HeadlessHost { PictureView(screen: Screen(lit, size: (80, 24)) { _ in }) }
    #expect(host.text.contains { $0.contains("title  Dune") && $0.contains("•1") }, "\(host.text)")
    var later = lit
    later.advance(to: .seconds(3.2))
    #expect(!later.panes[0].isLit("title", at: later.now))
  }

  @Test func `draws whoever is cut off, and the links that are`() throws {
    let screen = try screen(at: 7.5)
    let text = rows(screen)
    #expect(text[3].contains("○ cut off"), "\(text.joined(separator: "\n"))")
    #expect(text.contains { $0.contains("│━━━│") && $0.contains("│╌╳╌│") })
    #expect(text.contains { $0.contains("┗╌") && $0.contains("╳") && $0.contains("╌┛") })
    #expect(text[0].hasSuffix("≠ not equal now"))
    #expect(text.contains { $0.contains("nobody else is here") })
  }

  @Test func `shows a conflict once both sides have met, with all its values`() throws {
    let text = rows(try screen(at: 11))
    let line = try #require(text.first { $0.hasPrefix("≠ Conflict") }, "\(text.joined(separator: "\n"))")
    #expect(line.contains("Dune Messiah") && line.contains("Children of Dune"))
    #expect(text[0].hasSuffix("= all 3 equal"))
  }

  @Test func `draws whoever is killed, with what it had said, and asks to restart it`() throws {
    let text = rows(try screen(at: 14.6) { $0.select(1) })
    #expect(text[3].contains("✗ killed"))
    #expect(text.contains { $0.contains("killed with -9") && $0.contains("process 4711") })
    #expect(text.contains { $0.contains("│╌╌╌│") })
    #expect(text.contains { $0.contains("r restarts it") })
    #expect(text[23].contains("r restart") && !text[23].contains("k kill"))
    #expect(text[0].hasSuffix("= all 2 equal"))
  }

  @Test(arguments: [(80, 24), (200, 50), (100, 30), (60, 18), (44, 16), (30, 10), (20, 6)])
  func `has the keys on the last row of terminals of any size, and cuts no line`(_ columns: Int, _ rows: Int) throws {
    for count in [2, 3, 5, 9] {
      var picture = DemoPicture(names: Array(Conductor.cast.prefix(count)), hasDaemon: count == 2)
      picture.lead = .keys
      picture.setCaption(Caption(title: "A title", text: String(repeating: "many words ", count: 30)))
      for line in 0..<60 { picture.say("line \(line)") }
      for pane in picture.panes { picture.setState(.online, of: pane.name, processIdentifier: 1) }
      let text = self.rows(Screen(picture, size: (columns, rows)) { _ in })
      #expect(text[rows - 1].contains("q"), "\(columns) × \(rows), \(count):\n\(text.joined(separator: "\n"))")
      #expect(text[0].contains("Starling"))
      // A window that scrolls has its mark in the last column.
      #expect(!text.contains { $0.hasSuffix("█") }, "\(columns) × \(rows), \(count):\n\(text.joined(separator: "\n"))")
    }
  }

  @Test func `is what keys do to it`() async throws {
    let (commands, sender) = AsyncStream.makeStream(of: HandCommand.self)
    var picture = try Recording().picture(at: 1)
    picture.lead = .keys
    let screen = Screen(picture, size: (80, 24)) { sender.yield($0) }
    let host = TerminalHost { PictureView(screen: screen) }
    func press(_ keys: Key...) {
      for key in keys {
        host.take(.key(key))
        _ = host.canvas(columns: 80, rows: 24)
      }
    }
    press(Key("c"), Key(.right), Key("k"), Key("3"), Key("+"), Key("e"))
    #expect(screen.draft == "Untitled")
    // What is typed is a title and no command; Return writes it.
    press(Key("u", .control), Key("k"), Key("q"), Key(.enter))
    #expect(screen.draft == nil)
    press(Key("e"), Key(.escape))
    #expect(screen.draft == nil)
    press(Key("q"))
    sender.finish()
    var sent: [HandCommand] = []
    for await command in commands { sent.append(command) }
    #expect(
      sent == [.cut("Ada"), .kill("Ben"), .addCopies("Cleo"), .rename("Cleo", "kq"), .quit], "\(sent)")
  }

  @Test func `keeps the columns where characters are wide`() throws {
    for title in ["砂の惑星", "砂の惑星と砂漠の救世主と砂丘の子供たち", "👩‍🚀 Dune", "Du\u{308}ne"] {
      let text = rows(
        try screen(at: 1.95) { picture in
          var sight = picture.panes[0].sight
          sight.titles = [title]
          sight.runs["title"] = 42
          picture.received(sight, from: picture.panes[0].name, at: picture.now)
        })
      let line = try #require(text.first { $0.contains("title") })
      let pane = try #require(line.split(separator: "│").first)
      #expect(pane.hasSuffix(" •42"), "\(line)")
      #expect(String(pane).columnCount == text[2].prefix { $0 != "┐" }.count - 1, "\(line)")
    }
    #expect("砂の惑星".fitted(to: 6) == "砂の…")
    #expect("砂の惑星".fitted(to: 5) == "砂の…")
    #expect("砂の惑星".aligned(right: "!", columns: 7) == "砂の… !")
  }

  @Test func `counts edits of a second`() {
    var throughput = Throughput()
    for (second, count) in [0, 100, 300, 300, 250].enumerated() { throughput.count(count, at: .seconds(second)) }
    #expect(throughput.rates == [100, 200, 0, 0])
    #expect(throughput.bars(3) == "█  ")
  }

  @Test func `draws the links to a daemon as a bus`() {
    var picture = DemoPicture(names: ["Ada", "Ben"], hasDaemon: true)
    for name in ["Ada", "Ben"] {
      picture.setState(.online, of: name)
      var sight = Sight()
      sight.links = name == "Ada" ? [Sight.daemon] : []
      picture.received(sight, from: name, at: .zero)
    }
    let rows = LinkDrawing(picture: picture, middles: [2, 22], shown: [0, 1]).rows(atMost: 2)
    #expect(rows.map { $0.map(\.text).joined() } == ["  ┃                   ╳", "  ┗━━━ the daemon ━━━━┛"])
    #expect(rows[0].compactMap(\.link) == [.linked, .cut])
  }
}
