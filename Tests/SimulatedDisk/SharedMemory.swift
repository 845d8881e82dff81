import StarlingGuard

/// The index of a write-ahead log, which connections share as memory. It ends with the processes that have it.
final class SharedMemory: Sendable {
  static let lockCount = 8

  private struct State {
    /// Addresses, which stay until the object goes.
    var regions: [UInt] = []
    var regionByteCount = 0
    var handles: Set<Int> = []
    /// Of each lock who shares it.
    var sharers = [Set<Int>](repeating: [], count: SharedMemory.lockCount)
    /// Of each lock who has it alone.
    var owners = [Int?](repeating: nil, count: SharedMemory.lockCount)
  }

  private let state = Guarded(State())

  deinit {
    for address in state.withLock({ $0.regions }) { UnsafeMutableRawPointer(bitPattern: address)?.deallocate() }
  }

  /// - Returns: the address of a region; nil for one that is not there, and is not to be made.
  func region(_ place: Int, byteCount: Int, isExtending: Bool, for handle: Int) -> UInt? {
    state.withLock { state in
      state.handles.insert(handle)
      state.regionByteCount = byteCount
      while isExtending, state.regions.count <= place {
        let region = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 16)
        region.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        state.regions.append(UInt(bitPattern: region))
      }
      return place < state.regions.count ? state.regions[place] : nil
    }
  }

  func has(_ place: Int) -> Bool { state.withLock { place < $0.regions.count } }

  /// As the file that a system would keep it in.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let (regions, size) = state.withLock { ($0.regions, $0.regionByteCount) }
    guard size > 0, offset / size < regions.count, let region = UnsafeRawPointer(bitPattern: regions[offset / size])
    else { return 0 }
    let count = min(buffer.count, size - offset % size)
    buffer.copyMemory(from: UnsafeRawBufferPointer(start: region + offset % size, count: count))
    return count
  }

  // MARK: Locks

  func lock(_ places: Range<Int>, isExclusive: Bool, for handle: Int) -> Bool {
    state.withLock { state in
      for place in places {
        if let owner = state.owners[place], owner != handle { return false }
        if isExclusive, !state.sharers[place].subtracting([handle]).isEmpty { return false }
      }
      for place in places {
        if isExclusive { state.owners[place] = handle } else { state.sharers[place].insert(handle) }
      }
      return true
    }
  }

  func unlock(_ places: Range<Int>, isExclusive: Bool, for handle: Int) {
    state.withLock { state in
      for place in places {
        if isExclusive { state.owners[place] = nil } else { state.sharers[place].remove(handle) }
      }
    }
  }

  /// - Returns: whether nobody has it any more.
  func leave(_ handle: Int) -> Bool {
    state.withLock { state in
      state.handles.remove(handle)
      for place in 0..<Self.lockCount {
        state.sharers[place].remove(handle)
        if state.owners[place] == handle { state.owners[place] = nil }
      }
      return state.handles.isEmpty
    }
  }
}
