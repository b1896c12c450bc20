// What public members of the kit name, so that an app imports the kit alone.
@_exported public import struct ExternalPurchaseCore.AgeBand
@_exported public import struct ExternalPurchaseCore.ProgrammeTerms
@_exported public import struct ExternalPurchaseCore.TokenType
