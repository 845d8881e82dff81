#if os(Linux)
  import StarlingCore
  import StarlingEngine
  import StarlingGraph
  import StarlingModel
  import StarlingModelTestSupport
  import StarlingTestSupport
  import Testing

  /// What a thread of these tests leaves behind.
  private final class Left<Value>: @unchecked Sendable {
    // Sendable: one thread runs at a time, and what the others left is visible to it.
    var value: Value
    init(_ value: Value) { self.value = value }
  }

  /// Two threads that use models, and a third that merges, as the engine's does.
  @Suite struct `In every order of the locks that they take` {
    /// A library with an owner, as another replica wrote it, and what that replica writes next.
    private func written(_ next: (Library) -> Void) throws -> (first: [Change], next: [Change]) {
      let source = Pair.Replica(9)
      let library = try source.space.model(Library.self, named: "front-desk", isolation: nil)
      library.address.name = "Main Street"
      library.owner = author("Ada")
      let first = source.handle.takeOutbox()
      next(library)
      return (first, source.handle.takeOutbox())
    }

    private func author(_ name: String) -> Author {
      let author = Author()
      author.name = name
      return author
    }

    @Test func `two that open a model while it changes get one object, which shows the change`() throws {
      let (first, next) = try written { $0.owner?.name = "Grace" }
      var orders = Interleavings(switches: 1)
      try orders.tryAll {
        let replica = Pair.Replica(1)
        replica.handle.merge(first)
        let opened = [Left<Library?>(nil), Left(nil)]
        let read = Left<[String?]>([])
        let opening = opened.map { left in
          { @Sendable in
            let library = try? replica.space.model(Library.self, named: "front-desk", isolation: nil)
            read.value.append(library?.owner?.name)
            left.value = library
          }
        }
        return (
          opening + [{ replica.handle.merge(next) }],
          {
            #expect(opened[0].value != nil && opened[0].value === opened[1].value)
            #expect(Set(read.value).isSubset(of: ["Ada", "Grace"]))
            #expect(opened[0].value?.owner?.name == "Grace")
            #expect(opened[0].value?.owner === opened[1].value?.owner)
          }
        )
      }
      print("opening, opening, merging: \(orders.count) orders")
      #expect(orders.count > 100)
    }

    @Test func `one that plants a model while its place is read and merged leaves what all replicas see`() throws {
      let (first, next) = try written { library in
        library.owner = self.author("Grace")
        library.address.name = "Station Road"
      }
      var orders = Interleavings(switches: 1)
      try orders.tryAll {
        let replica = Pair.Replica(1)
        let there = Pair.Replica(2)
        for replica in [replica, there] { replica.handle.merge(first) }
        let library = try replica.space.model(Library.self, named: "front-desk", isolation: nil)
        let planted = self.author("Edsger")
        let read = Left<String?>(nil)
        return (
          [
            { library.owner = planted },
            { read.value = library.owner?.name },
            { replica.handle.merge(next) },
          ],
          {
            #expect(["Ada", "Grace", "Edsger"].contains(read.value ?? "nobody"))
            let other = try there.space.model(Library.self, named: "front-desk", isolation: nil)
            there.handle.merge(next)
            there.handle.merge(replica.handle.takeOutbox())
            #expect(library.owner?.name == other.owner?.name)
            #expect(library.address.name == "Station Road")
            if library.owner?.name == "Edsger" { #expect(library.owner === planted) }
          }
        )
      }
      print("planting, reading, merging: \(orders.count) orders")
      #expect(orders.count > 50)
    }

    @Test func `one that lets a model go while another opens it and a third changes it leaves one that is right`()
      throws
    {
      let (first, next) = try written { $0.owner?.name = "Grace" }
      var orders = Interleavings(switches: 2)
      try orders.tryAll {
        let replica = Pair.Replica(1)
        replica.handle.merge(first)
        let library = try replica.space.model(Library.self, named: "front-desk", isolation: nil)
        let held = Left(library.owner)
        let opened = Left<Author?>(nil)
        return (
          [
            { held.value = nil },
            { opened.value = library.owner },
            { replica.handle.merge(next) },
          ],
          {
            #expect(opened.value?.name == "Grace")
            #expect(opened.value === library.owner)
          }
        )
      }
      print("releasing, opening, merging: \(orders.count) orders")
      #expect(orders.count > 50)
    }

    @Test func `an observer has seen the last value, and no run is for nothing`() throws {
      let (first, next) = try written { $0.address.name = "Station Road" }
      var orders = Interleavings(switches: 2)
      try orders.tryAll {
        let replica = Pair.Replica(1)
        replica.handle.merge(first)
        let library = try replica.space.model(Library.self, named: "front-desk", isolation: nil)
        let address = library.address
        let seen = Left<[String]>([])
        let observing = observe { seen.value.append(address.name) }
        return (
          [
            { address.name = "High Street" },
            { replica.handle.merge(next) },
          ],
          {
            #expect(seen.value.last == address.name)
            #expect(seen.value.first == "Main Street")
            #expect(zip(seen.value, seen.value.dropFirst()).allSatisfy { $0 != $1 }, "\(seen.value)")
            observing.cancel()
          }
        )
      }
      print("writing, merging, observing: \(orders.count) orders")
      #expect(orders.count > 20)
    }

    @Test func `one that opens a model and looks at it while it changes is not woken for what it has seen`() throws {
      let (first, next) = try written { $0.address.name = "Station Road" }
      var orders = Interleavings(switches: 2)
      try orders.tryAll {
        let replica = Pair.Replica(1)
        replica.handle.merge(first)
        let seen = Left<[String]>([])
        let observing = Left<(Library, ObservationToken)?>(nil)
        return (
          [
            {
              guard let library = try? replica.space.model(Library.self, named: "front-desk", isolation: nil) else {
                return
              }
              observing.value = (library, observe { seen.value.append(library.address.name) })
            },
            { replica.handle.merge(next) },
          ],
          {
            #expect(seen.value.last == "Station Road")
            #expect(zip(seen.value, seen.value.dropFirst()).allSatisfy { $0 != $1 }, "\(seen.value)")
            observing.value?.1.cancel()
          }
        )
      }
      print("opening, observing, merging: \(orders.count) orders")
      #expect(orders.count > 100)
    }
  }
#endif
