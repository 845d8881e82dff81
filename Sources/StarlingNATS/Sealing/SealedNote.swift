#if NATS
  /// What two links say to each other in a sealed session, apart from frames. Numbers are little-endian.
  ///
  /// ```
  ///   here          | 0 |                                       the caller: I hold the session's keys
  ///   heard         | 1 |                                       the called one: so do I
  ///   key           | 2 | number, 8 | key, 32 | counter, 8 |    the called one: what I publish opens with this
  ///   taken         | 3 | number, 8 |                           the caller: I have that key
  /// ```
  enum SealedNote: Equatable, Sendable {
    case here
    case heard
    case key(number: UInt64, key: [UInt8], counter: UInt64)
    case taken(number: UInt64)

    /// Nil for bytes of another shape.
    init?(decoding bytes: [UInt8]) {
      var rest = bytes[...]
      guard let tag = rest.popFirst() else { return nil }
      switch tag {
      case 0: self = .here
      case 1: self = .heard
      case 2:
        guard let number = rest.takeNumber(8), rest.count == 40 else { return nil }
        let key = Array(rest.prefix(32))
        rest.removeFirst(32)
        guard let counter = rest.takeNumber(8) else { return nil }
        self = .key(number: number, key: key, counter: counter)
      case 3:
        guard let number = rest.takeNumber(8) else { return nil }
        self = .taken(number: number)
      default: return nil
      }
      guard rest.isEmpty else { return nil }
    }

    func encoded() -> [UInt8] {
      var bytes: [UInt8]
      switch self {
      case .here: bytes = [0]
      case .heard: bytes = [1]
      case .key(let number, let key, let counter):
        bytes = [2]
        bytes.append(number: number)
        bytes += key
        bytes.append(number: counter)
      case .taken(let number):
        bytes = [3]
        bytes.append(number: number)
      }
      return bytes
    }
  }
#endif
