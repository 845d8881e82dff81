// A program of views needs one import.
@_exported public import StarlingModel
