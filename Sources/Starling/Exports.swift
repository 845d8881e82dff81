// `import Starling` is enough: models, bindings and what their declarations name come with it.
@_exported public import Observation
@_exported public import StarlingModel
@_exported public import enum StarlingEngine.FlushGoal
@_exported public import struct StarlingEngine.LinkError
@_exported public import struct StarlingEngine.LogError
@_exported public import struct StarlingCore.Digest
@_exported public import struct StarlingCore.ReplicaID
@_exported public import struct StarlingCore.Version
@_exported public import func StarlingGraph.observe
@_exported public import class StarlingGraph.Observing
