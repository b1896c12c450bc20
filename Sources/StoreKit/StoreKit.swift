@_exported public import StoreKitSimulator
