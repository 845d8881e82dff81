import Foundation
import Measuring
import StarlingCore
import StarlingEngine
import StarlingReplica
import StarlingSQLite
import StarlingWire

extension Case {
  /// A daemon whose store holds many more documents than are ever used at one time.
  static let library: [Case] = [
    Case(
      "many-documents", "many-documents-memory", "many-documents-first", "many-documents-used",
      "many-documents-used-memory", "many-documents-rest"
    ) { try await Library().run() }
  ]
}

/// A daemon in a process of its own, with a store of many small documents, and programs in this one that use some.
///
/// ```
///   store: 1,000,000 documents ── daemon: 10,000 open ── programs: 100 documents, then ten times 1,000
/// ```
struct Library {
  /// `STARLING_LIBRARY_DOCUMENTS` for another number.
  static let documentCount =
    ProcessInfo.processInfo.environment["STARLING_LIBRARY_DOCUMENTS"].flatMap { Int($0) } ?? Scale.count(1_000_000)
  private static let openedCount = 100
  private static let usedCount = min(10_000, documentCount / 2)
  private static let programCount = 10
  /// After that nobody is told of anything any more.
  private static let settlingSeconds = Scale.isQuick ? 1 : 60
  private static let restSeconds = Scale.isQuick ? 1 : 10

  func run() async throws -> [Figure] {
    let directory = Scratch.path("library")
    try await LibraryStore(directory).fill(Self.documentCount)
    let begin = ContinuousClock.now
    let daemon = try Child(CommandLine.arguments[0], [LibraryDaemon.flag, directory, Transport.ipc.endpoint])
    defer { daemon.end() }
    guard let ready = try daemon.line(within: .seconds(600)), let endpoint = ready.split(separator: " ").last else {
      throw LinkFailure("The daemon did not start.")
    }
    let started = ContinuousClock.now - begin
    var idle = try second(of: daemon)
    for _ in 0..<2 { idle = try second(of: daemon) }

    var programs = [try await program(at: endpoint)]
    var handles: [DocumentHandle] = []
    var waits: [Double] = []
    for number in 0..<Self.openedCount {
      let place = Self.documentCount - 1 - number * (Self.documentCount / (2 * Self.openedCount))
      let opened = ContinuousClock.now
      handles.append(try await open(place, of: programs[0]))
      waits.append((ContinuousClock.now - opened) / .milliseconds(1))
    }
    let used = ContinuousClock.now
    for number in 0..<Self.programCount {
      let program = try await program(at: endpoint)
      let share = Self.usedCount / Self.programCount
      for place in number * share..<(number + 1) * share { handles.append(try await open(place, of: program)) }
      programs.append(program)
    }
    let usedTime = ContinuousClock.now - used
    var resting: [Double] = []
    var last = try second(of: daemon)
    for _ in 0..<(Self.settlingSeconds + Self.restSeconds) {
      last = try second(of: daemon)
      resting.append(last.microseconds)
    }
    withExtendedLifetime(handles) {}
    for program in programs { try await program.close() }
    let rest = resting.suffix(Self.restSeconds)
    let stored = "\(Self.documentCount) documents stored"
    return [
      Figure(
        "many-documents", .milliseconds, Sample([started / .milliseconds(1)]), notes: ["until it listens; \(stored)"]),
      Figure(
        "many-documents-memory", .bytes, Sample([idle.bytes]), notes: ["held then; \(idle.open) documents open"]),
      Figure(
        "many-documents-first", .milliseconds, Sample(waits), notes: ["until one of them that was closed is read"]),
      Figure(
        "many-documents-used", .milliseconds, Sample([usedTime / .milliseconds(1)]),
        notes: ["until \(Self.programCount) programs have read \(Self.usedCount) of them, one after the other"]),
      Figure(
        "many-documents-used-memory", .bytes, Sample([last.bytes]),
        notes: ["held by the daemon then; \(last.open) documents open"]),
      Figure(
        "many-documents-rest", .microseconds, Sample([rest.reduce(0, +) / Double(max(1, rest.count))]),
        notes: ["computed in a second then, while nobody writes"]),
    ]
  }

  private func program(at endpoint: Substring) async throws -> BareReplica {
    let program = try await BareReplica.open("benchmarks", options: RestingDaemon.options(isDaemon: false))
    try await program.engine.connect(to: String(endpoint))
    return program
  }

  private func open(_ place: Int, of program: BareReplica) async throws -> DocumentHandle {
    let handle = try await program.engine.open(LibraryStore.document(place))
    let end = ContinuousClock.now + .seconds(60)
    while handle.version.isEmpty {
      guard ContinuousClock.now < end else { throw LinkFailure("Document \(place) did not arrive.") }
      try await Task.sleep(for: .microseconds(100))
    }
    return handle
  }

  private func second(of daemon: Child) throws -> (open: Int, microseconds: Double, bytes: Double) {
    guard let line = try daemon.line(within: .seconds(60)) else { throw Child.Silence() }
    let words = line.split(separator: " ").compactMap { Double($0) }
    guard words.count == 3 else { throw LinkFailure("The daemon said: \(line)") }
    return (Int(words[0]), words[1], words[2])
  }
}

/// A store of many small documents, written to its log: to have a program write them would take the time of as many
/// conversations.
struct LibraryStore {
  private static let groupCount = 2_000
  let directory: String

  init(_ directory: String) { self.directory = directory }

  static func document(_ number: Int) -> DocumentID {
    guard let id = DocumentID("library/book-\(number)") else { preconditionFailure("No name of a document.") }
    return id
  }

  func fill(_ count: Int) async throws {
    let log = SQLiteLog(directory: directory, durability: .normal)
    _ = try await log.open()
    let replica = ReplicaID(rawValue: 1)
    var document = Document()
    var patch = Patch()
    document.begin(as: replica, now: 0)
    document.set(.string("A book that stands on a shelf"), for: "title", in: .root, patch: &patch)
    document.set(.string("Ada Lovelace"), for: "author", in: .root, patch: &patch)
    document.set(.integer(3), for: "copies", in: .root, patch: &patch)
    guard let change = document.commit() else { throw LinkFailure("Nothing was written.") }
    let bytes = Batch.encode([change])
    let last = document.version[replica]
    for start in stride(from: 0, to: count, by: Self.groupCount) {
      try await log.append(
        (start..<min(count, start + Self.groupCount)).map {
          LogRecord(document: Self.document($0), replica: replica, firstCounter: 1, lastCounter: last, bytes: bytes)
        })
    }
    try await log.close(continuing: ReplicaID(rawValue: 2))
  }
}

/// The other process of `Library`.
///
/// ```
/// ready ENDPOINT
/// OPEN MICROSECONDS BYTES                with each second: documents that are open, computed in it, memory held
/// ```
enum LibraryDaemon {
  static let flag = "--library-daemon"

  static func run(_ arguments: ArraySlice<String>) async {
    guard let directory = arguments.first, let endpoint = arguments.dropFirst().first else { exit(64) }
    let parent = getppid()
    do {
      let daemon = try await BareReplica.open(
        "benchmarks", in: directory, options: RestingDaemon.options(isDaemon: true))
      RestingDaemon.tell("ready \(try await daemon.engine.bind(endpoint))")
      while getppid() == parent {
        let (begin, computed) = (ContinuousClock.now, Sampling.processTime)
        try await Task.sleep(for: .seconds(1))
        let passed = (ContinuousClock.now - begin) / .seconds(1)
        let used = Unit.microseconds.value(of: Sampling.processTime - computed) / passed
        let open = await daemon.engine.status().documents.count
        RestingDaemon.tell("\(open) \(Int(used)) \(Memory.resident)")
      }
      exit(0)
    } catch {
      Report.say("\(error)")
      exit(1)
    }
  }
}
