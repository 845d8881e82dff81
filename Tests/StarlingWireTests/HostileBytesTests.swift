import StarlingTestSupport
import Foundation
import StarlingCore
import StarlingWire
import Testing

/// Every decoder, over bytes that nobody wrote.
@Suite struct `Bytes that were damaged` {
  /// One of everything, as the accepted vectors hold it.
  private func samples() throws -> [Vector] {
    try Vector.files(in: "accept").compactMap { Vector(name: $0.name, file: $0.file) }.filter { vector in
      switch vector.subject {
      case .message(let bytes), .batch(let bytes), .snapshot(let bytes), .published(let bytes), .presence(let bytes):
        bytes.count < 1500
      case .stream(_, let payloads): payloads.joined().count < 1500
      }
    }
  }

  @Test func `are refused or read, whichever bit flipped`() throws {
    var readCount = 0
    var refusedCount = 0
    for vector in try samples() {
      for variant in vector.variants(flipping: [1, 2, 4, 8, 16, 32, 64, 128]) {
        do throws(WireError) {
          let content = try variant.outcome()
          readCount += 1
          if !content.isWithin(bytes: variant.byteCount) { Issue.record("\(vector.name) unfolds too far") }
        } catch {
          refusedCount += 1
          if !(0...variant.byteCount).contains(error.offset) { Issue.record("\(vector.name): \(error)") }
        }
      }
    }
    // Both happen, so that neither half of this test is idle.
    #expect(readCount > 1000)
    #expect(refusedCount > 1000)
  }

  @Test func `are refused wherever they were cut`() throws {
    for vector in try samples() {
      switch vector.subject {
      case .batch(let bytes), .snapshot(let bytes), .message(let bytes), .presence(let bytes):
        // A message may end before or between fields that were added since.
        let haveLaterFields: Set = [
          "message-have-arriving", "message-want-own", "message-want-lacking", "message-want-kept",
          "message-acknowledge-behind", "message-hello-notice", "message-hello-generation", "message-hello-known-start",
          "message-hello-shard",
        ]
        if vector.name.hasPrefix("message-later") || haveLaterFields.contains(vector.name) { continue }
        for count in 0..<bytes.count {
          #expect(throws: WireError.self, "\(vector.name) cut to \(count) bytes") {
            _ = try vector.with([UInt8](bytes[..<count])).outcome()
          }
        }
      case .stream(let tables?, _):
        for count in 0..<tables.count {
          #expect(throws: WireError.self) { _ = try LiveDecoder(tables: [UInt8](tables[..<count])) }
        }
      case .published, .stream: break
      }
    }
  }

  @Test(arguments: 0..<20) func `are refused or read when drawn at random`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for _ in 0..<500 {
      let bytes = [dice.oneIn(2) ? 1 : UInt8(dice.roll(0..<12))] + dice.someBytes(atMost: 60)
      for subject in [
        Vector.Subject.message(bytes), .batch(bytes), .snapshot(bytes), .stream(tables: bytes, payloads: []),
        .presence(bytes),
      ] {
        let vector = Vector(name: "seed \(seed)", subject: subject, about: "", isCanonical: false)
        do throws(WireError) {
          #expect(try vector.outcome().isWithin(bytes: bytes.count), "seed \(seed): \(bytes)")
        } catch {
          #expect((0...bytes.count).contains(error.offset), "seed \(seed): \(error) of \(bytes)")
          #expect(!error.message.isEmpty, "seed \(seed): \(bytes)")
        }
      }
    }
  }

  @Test func `leave a decoder that reads no more`() throws {
    var encoder = LiveEncoder()
    var payload: [UInt8] = []
    encoder.encode(Samples.set, into: &payload)
    var decoder = LiveDecoder()
    #expect(throws: WireError.self) { try decoder.decode([0xFF]) }
    #expect { try decoder.decode(payload) } throws: { ($0 as? WireError)?.code == .brokenStream }
  }
}

@Suite struct `Counts that announce too much` {
  /// The most memory that this process ever held, in kilobytes.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  private static func vectors(in folder: String) throws -> [Vector] {
    try Vector.files(in: folder).compactMap { Vector(name: $0.name, file: $0.file) }
  }

  private static func isBomb(_ vector: Vector) -> Bool {
    ["bomb", "too-large", "too-many"].contains { vector.name.contains($0) }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/status"), "needs /proc"))
  func `are refused before anything is set aside for them`() async throws {
    #expect(try Self.vectors(in: "reject").filter(Self.isBomb).count >= 15)
    // In a process of its own, whose memory no other test touches.
    await #expect(processExitsWith: .success) {
      let rejected = try Self.vectors(in: "reject")
      let bombs = rejected.filter(Self.isBomb)
      // What a process touches of the decoders' own code and of its libraries counts for it as well, so first all of it
      // is touched.
      for vector in try Self.vectors(in: "accept") + rejected where !Self.isBomb(vector) { _ = try? vector.outcome() }
      // The peak is counted from here on (proc(5), clear_refs).
      try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
      let before = try Self.peak()
      for bomb in bombs {
        for _ in 0..<50 { #expect(throws: WireError.self) { try bomb.outcome() } }
      }
      // The least of them announces sixteen megabytes.
      let growth = try Self.peak() - before
      precondition(growth < 8192, "The bombs took \(growth) kB.")
    }
  }

  @Test func `are held against the limits that the caller gives`() throws {
    var drawing = ChangeDrawing(seed: 1)
    let changes = drawing.changes(50)
    let bytes = Batch.encode(changes)
    let operationCount = changes.reduce(0) { $0 + $1.operations.count + $1.insertedValueCount }
    func refusal(_ change: (inout WireLimits) -> Void) -> WireError.Code? {
      var limits = WireLimits()
      change(&limits)
      do throws(WireError) { _ = try Batch.decode(bytes, limits: limits) } catch { return error.code }
      return nil
    }
    #expect(refusal { $0.operationCountMax = operationCount } == nil)
    #expect(refusal { $0.operationCountMax = operationCount - 1 } == .tooLarge)
    #expect(refusal { $0.frameByteCountMax = bytes.count } == nil)
    #expect(refusal { $0.frameByteCountMax = bytes.count - 1 } == .tooLarge)
    #expect(refusal { $0.definitionCountMax = 3 } == .tooLarge)
    #expect(refusal { $0.dotCountMax = 3 } == .tooLarge)
    #expect(refusal { $0.keyByteCountMax = 3 } == .tooLarge)
    #expect(refusal { $0.valueByteCountMax = 3 } == .tooLarge)
    #expect(refusal { $0.nestingDepthMax = 1 } == .tooDeep)
  }

  @Test func `do not unfold from few bytes of a snapshot`() throws {
    let keys = (0..<20_000).map { String(repeating: "k", count: 500) + "\($0 + 10_000)" }
    let snapshot = Snapshot(
      version: Samples.version, frontier: [], latestStamp: Samples.stamp,
      objects: [
        Snapshot.Object(
          id: .root, origin: .root,
          slots: keys.map { key in
            let entry = Entry(dot: Dot(Samples.ada, 7), stamp: Samples.stamp, value: .null)
            return Snapshot.Slot(key: .name(key), entries: [entry], shares: [])
          })
      ])
    let bytes = SnapshotCoding.encode(snapshot)
    // Each block says its first key whole.
    #expect(bytes.count < 250_000)
    var limits = WireLimits()
    limits.snapshotByteCountMax = 20_000 * 505
    #expect(throws: Never.self) { try SnapshotCoding.decode(bytes, limits: limits) }
    limits.snapshotByteCountMax = 1_000_000
    #expect { try SnapshotCoding.decode(bytes, limits: limits) } throws: { ($0 as? WireError)?.code == .tooLarge }
    limits.snapshotByteCountMax = 1 << 30
    limits.snapshotEntryCountMax = 10_000
    #expect { try SnapshotCoding.decode(bytes, limits: limits) } throws: { ($0 as? WireError)?.code == .tooLarge }
  }
}

extension Change {
  /// Each counts as an operation does.
  fileprivate var insertedValueCount: Int {
    operations.reduce(0) { sum, operation in
      if case .insert(.values(let values), _) = operation.action { sum + values.count } else { sum }
    }
  }
}
