// `import Starling` is enough: models, bindings and what their declarations name come with it.
@_exported public import Observation
@_exported public import StarlingModel
@_exported public import enum StarlingEngine.EngineEvent
@_exported public import enum StarlingEngine.FlushGoal
@_exported public import enum StarlingEngine.HistoryOrder
@_exported public import struct StarlingEngine.AccessEvent
@_exported public import struct StarlingEngine.ChangeSummary
@_exported public import struct StarlingEngine.EngineStatus
@_exported public import struct StarlingEngine.FlushError
@_exported public import struct StarlingEngine.DocumentHistory
@_exported public import struct StarlingEngine.DocumentProgress
@_exported public import struct StarlingEngine.HistoricDocument
@_exported public import struct StarlingEngine.HistoryCursor
@_exported public import struct StarlingEngine.HistoryError
@_exported public import struct StarlingEngine.HistoryPage
@_exported public import struct StarlingEngine.DocumentPattern
@_exported public import struct StarlingEngine.LinkError
@_exported public import struct StarlingEngine.LogError
@_exported public import struct StarlingEngine.PeerAccess
@_exported public import struct StarlingEngine.PeerDocument
@_exported public import struct StarlingCore.Difference
@_exported public import struct StarlingCore.Digest
@_exported public import struct StarlingCore.DocumentID
@_exported public import struct StarlingCore.Dot
@_exported public import struct StarlingCore.ReplicaID
@_exported public import struct StarlingCore.StoreID
@_exported public import struct StarlingCore.TouchedSlot
@_exported public import struct StarlingCore.Version
@_exported public import enum StarlingWire.FrameKind
@_exported public import struct StarlingWire.FrameExplainer
@_exported public import struct StarlingWire.FrameExplanation
@_exported public import struct StarlingWire.WireError
@_exported public import struct StarlingExposition.Exposition
@_exported public import struct StarlingZeroMQ.IPCDirectory
@_exported public import struct StarlingZeroMQ.PublicKey
@_exported public import func StarlingGraph.observe
@_exported public import class StarlingGraph.Observing
