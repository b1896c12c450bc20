import Foundation
import Testing

@testable import ExternalPurchaseCommands

/// A profile that a reader of the page writes, an export in the provider's layout with invented rows, and its sums.
struct OwnProfile: CustomTestStringConvertible, Sendable {
    let name: String
    let profile: String
    let text: String
    let encoding: String.Encoding
    let set: [String]
    let newByType: [String: Int]
    let payments: [String: String]
    let refunds: [String: String]
    let leftOut: [String: Int]

    var testDescription: String { name }

    static let all = [
        OwnProfile(
            name: "Redsys, Spanish",
            profile: """
                description: Redsys, Operaciones > Exportar (CSV en español)
                file: {delimiter: semicolon, encoding: windows-1252}
                numbers: {decimal: ",", thousands: "."}
                times: {formats: ["dd/MM/yyyy HH:mm:ss"], zone: Europe/Madrid, ambiguousHour: earlier}
                rows:
                  - column: Resultado operación y código
                    words: {Autorizada *: take, Denegada *: leave-out, Cancelada: leave-out, Sin Finalizar *: leave-out}
                type:
                  column: Tipo operación
                  words: {Autorización: purchase, Devolución: refund, Preautorización: leave-out}
                values: {quantity: 1}
                fields:
                  saleId: Cód. pedido
                  occurredAt: {date: Fecha, time: Hora}
                  currency: Moneda
                  inclusive: Importe
                ofType:
                  refund:
                    saleId: {text: "{Cód. pedido}/{Fecha} {Hora}/{Resultado operación y código}"}
                    refundOf: Cód. pedido
                ignored: [Importe Euros, Tipo de pago, Tipo pago original, N.º tarjeta, Titular]
                """,
            text: """
                Fecha;Hora;Tipo operación;Cód. pedido;Resultado operación y código;Importe;Moneda;Importe Euros;Tipo de pago;Tipo pago original;N.º tarjeta;Titular;
                23/04/2026;14:18:59;Autorización;2604MLbh;Autorizada 741936;60,00;EUR;60,00;Challenge Visa;;415006******2715;;
                23/04/2026;14:41:38;Autorización;2604MF6h;Autorizada KD7NA5;1.230,50;EUR;1.230,50;Challenge MasterCard;;516794******3324;;
                23/04/2026;15:48:30;Autorización;2604MhtJ;Denegada 9590;60,00;EUR;60,00;Challenge Visa;;492163******5340;;
                23/04/2026;15:49:30;Autorización;2604Mxxx;Sin Finalizar 9998;60,00;EUR;60,00;;;;;
                23/04/2026;16:28:37;Devolución;2604MLbh;Autorizada 252927;20,00;EUR;20,00;Challenge Visa;;415006******2715;;
                23/04/2026;16:28:37;Devolución;2604MLbh;Autorizada 252927;20,00;EUR;20,00;Challenge Visa;;415006******2715;;
                """,
            encoding: .windowsCP1252,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 2],
            payments: ["EUR": "1290.50"],
            refunds: ["EUR": "40.00"],
            leftOut: ["Denegada 9590": 1, "Sin Finalizar 9998": 1]
        ),
        OwnProfile(
            name: "TWINT, German",
            profile: """
                description: TWINT, Abrechnung als CSV
                file: {skip: 3, delimiter: semicolon}
                numbers: {thousands: "'"}
                times: {formats: ["dd.MM.yyyy HH:mm"], zone: Europe/Zurich, ambiguousHour: earlier}
                type: {column: Typ, words: {Zahlung: purchase, Rückerstattung: refund}}
                values: {quantity: 1}
                fields:
                  saleId: Order ID
                  occurredAt: {date: Transaktionsdatum, time: Transaktionszeit}
                  currency: Währung#2
                  inclusive: Betrag Transaktion
                ofType:
                  refund: {saleId: Transaktions-ID, refundOf: Order ID}
                ignored: [Überweisung am, Währung, Transaktionsgebühr, Gutgeschriebener Betrag, Kennung Verkaufsstelle, UUID Store, Terminal ID, Transaktions-ID, Händlertransaktions-ID]
                """,
            text: """
                "Datum Überweisung";"01.11.2026"
                "Datum Abrechnung";"31.10.2026"
                "Währung";"CHF"
                "Überweisung am";"Transaktionsgebühr";"Währung";"Gutgeschriebener Betrag";"Kennung Verkaufsstelle";"UUID Store";"Betrag Transaktion";"Währung";"Transaktionsdatum";"Transaktionszeit";"Typ";"Order ID";"Terminal ID";"Transaktions-ID";"Händlertransaktions-ID"
                "01.11.2026";"0.39";"CHF";"29.61";"Shop";"u-1";"30.00";"CHF";"31.10.2026";"09:47";"Zahlung";"o-1";"t-1";"tx-1";"m-1"
                "01.11.2026";"13.00";"CHF";"987.50";"Shop";"u-1";"1'000.50";"CHF";"31.10.2026";"10:12";"Zahlung";"o-2";"t-1";"tx-2";"m-2"
                "01.11.2026";"0.00";"CHF";"-10.00";"Shop";"u-1";"-10.00";"CHF";"31.10.2026";"11:00";"Rückerstattung";"o-1";"t-1";"tx-3";"m-3"
                """,
            encoding: .utf8,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1],
            payments: ["CHF": "1030.50"],
            refunds: ["CHF": "10.00"],
            leftOut: [:]
        ),
        OwnProfile(
            name: "Mollie, settlement",
            profile: """
                description: Mollie, settlement as CSV
                times: {zone: Europe/Amsterdam, ambiguousHour: earlier}
                type:
                  column: Payment method
                  words:
                    refund: leave-out
                    chargeback: {refuse: the row does not name the payment}
                    "": leave-out
                    "*": purchase
                values: {quantity: 1}
                fields:
                  saleId: ID
                  occurredAt: Date
                  currency: Currency
                  inclusive: Amount
                refund:
                  total: Amount refunded
                  fields: {saleId: {text: "{ID}/refunded/{Amount refunded}"}}
                ignored: [Status, Description, Consumer *, Settlement *]
                """,
            text: """
                Date,Payment method,Currency,Amount,Status,ID,Description,Consumer name,Consumer bank account,Consumer BIC,Settlement currency,Settlement amount,Settlement reference,Amount refunded
                2026-10-01 10:12:00,ideal,EUR,100.00,paid,tr_a,Order 1001,Jan,NL01BANK0123456789,BANKNL2A,EUR,100.00,1234567.2610.01,20.00
                2026-10-02 11:00:00,creditcard,USD,50.00,paid,tr_b,Order 1002,Eva,,,EUR,46.10,1234567.2610.01,
                2026-10-03 09:00:00,refund,EUR,-20.00,refunded,re_c,Refund Order 1001,,,,EUR,-20.00,1234567.2610.01,
                2026-10-04 00:00:00,,EUR,-2.88,,,Withheld transaction fees MOL-2026-0001,,,,EUR,-2.88,1234567.2610.01,
                """,
            encoding: .utf8,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 2, "refund": 1],
            payments: ["EUR": "100.00", "USD": "50.00"],
            refunds: ["EUR": "20.00"],
            leftOut: ["(empty)": 1, "refund": 1]
        ),
    ]
}

@Suite("ledger import-sales --profile: profiles of other providers", .serialized)
struct SalesProfileOwnTests {
    @Test("A profile of one's own gives the file's sums, and nothing the second time", arguments: OwnProfile.all)
    func sums(_ own: OwnProfile) async throws {
        let setup = try await ServerUnderTest()
        let profile = try setup.scratch.write(own.profile, to: "own.yaml")
        let file = setup.scratch.url.appending(path: "export.csv")
        try #require(own.text.data(using: own.encoding)).write(to: file)
        for isFirst in [true, false] {
            let result = try await BuiltBinary.run(
                [
                    "ledger", "import-sales", file.path, "--config", setup.config, "--database",
                    "sqlite:\(setup.database)", "--profile", profile, "--format", "json",
                ] + own.set.flatMap { ["--set", $0] }
            )
            #expect(result.exitCode == 0, "\(result.error)")
            #expect(result.json?["newByType"] as? [String: Int] == (isFirst ? own.newByType : [:]), "\(result.output)")
            #expect(result.json?["payments"] as? [String: String] == (isFirst ? own.payments : [:]), "\(result.output)")
            #expect(result.json?["refunds"] as? [String: String] == (isFirst ? own.refunds : [:]), "\(result.output)")
            #expect(result.json?["leftOut"] as? [String: Int] == own.leftOut, "\(result.output)")
        }
    }
}
