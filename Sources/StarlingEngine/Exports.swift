// What the ports and the configuration show of the deciding room.
@_exported public import enum StarlingSession.PeerIdentity
@_exported public import struct StarlingSession.AccessEvent
@_exported public import struct StarlingSession.DocumentPattern
@_exported public import struct StarlingSession.DocumentProgress
@_exported public import struct StarlingSession.LogError
@_exported public import struct StarlingSession.LogLease
@_exported public import struct StarlingSession.LogMember
@_exported public import struct StarlingSession.LogRecord
@_exported public import struct StarlingSession.OneWayLink
@_exported public import struct StarlingSession.PeerDocument
@_exported public import struct StarlingSession.PeerHandle
@_exported public import struct StarlingSession.StoredSnapshot
@_exported public import struct StarlingSession.Trust
@_exported public import struct StarlingWire.EquivocationReport
@_exported public import struct StarlingWire.WriterBinding
