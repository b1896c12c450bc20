// Generated from Examples/GemShop by `./run tables`. Do not edit.
// swift-format-ignore-file
package enum GemShopFiles {
    package static let infoPlist = ##"""
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>CFBundleIdentifier</key>
    <string>com.example.gemshop</string>
    <key>CFBundleName</key>
    <string>GemShop</string>
    <key>CFBundlePackageType</key>
    <string>APPL</string>
    <key>CFBundleShortVersionString</key>
    <string>1.0</string>
    <key>CFBundleVersion</key>
    <string>1</string>
    <key>CFBundleSupportedPlatforms</key>
    <array>
        <string>iPhoneOS</string>
    </array>
    <key>MinimumOSVersion</key>
    <string>17.4</string>
    <!-- iOS 17.5 and later: eligibleURLs and open(url:) -->
    <key>SKExternalPurchaseMultiLink</key>
    <dict>
        <key>de</key>
        <array>
            <string>https://shop.gemshop.example/out/de</string>
        </array>
        <key>es</key>
        <array>
            <string>https://shop.gemshop.example/out/es</string>
        </array>
        <key>fi</key>
        <array>
            <string>https://shop.gemshop.example/out/fi</string>
        </array>
        <key>fr</key>
        <array>
            <string>https://shop.gemshop.example/out/fr</string>
        </array>
        <key>is</key>
        <array>
            <string>https://shop.gemshop.example/out/is</string>
        </array>
        <key>it</key>
        <array>
            <string>https://shop.gemshop.example/out/it</string>
        </array>
        <key>nl</key>
        <array>
            <string>https://shop.gemshop.example/out/nl</string>
        </array>
        <key>no</key>
        <array>
            <string>https://shop.gemshop.example/out/no</string>
        </array>
        <key>se</key>
        <array>
            <string>https://shop.gemshop.example/out/se</string>
        </array>
    </dict>
    <!-- iOS 17.4: canOpen and open(); the same links, since more than one per country is for music streaming only -->
    <key>SKExternalPurchaseLink</key>
    <dict>
        <key>de</key>
        <string>https://shop.gemshop.example/out/de</string>
        <key>es</key>
        <string>https://shop.gemshop.example/out/es</string>
        <key>fi</key>
        <string>https://shop.gemshop.example/out/fi</string>
        <key>fr</key>
        <string>https://shop.gemshop.example/out/fr</string>
        <key>is</key>
        <string>https://shop.gemshop.example/out/is</string>
        <key>it</key>
        <string>https://shop.gemshop.example/out/it</string>
        <key>nl</key>
        <string>https://shop.gemshop.example/out/nl</string>
        <key>no</key>
        <string>https://shop.gemshop.example/out/no</string>
        <key>se</key>
        <string>https://shop.gemshop.example/out/se</string>
    </dict>
</dict>
</plist>
"""##
    package static let entitlements = ##"""
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
    <key>com.apple.developer.storekit.external-purchase-link</key>
    <true/>
</dict>
</plist>
"""##
}
