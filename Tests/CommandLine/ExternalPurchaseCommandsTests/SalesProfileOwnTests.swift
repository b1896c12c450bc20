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
        OwnProfile(
            name: "Razorpay, debit and credit with 0.00 in the other column",
            profile: """
                description: Razorpay, settlement recon report
                times: {formats: ["dd/MM/yyyy HH:mm:ss"], zone: Asia/Kolkata}
                type:
                  column: [dispute_id, type]
                  words:
                    "disp_*": {plus: chargebackReversal, minus: chargeback}
                    payment: purchase
                    refund: refund
                    adjustment: leave-out
                    transfer: leave-out
                values: {quantity: 1}
                fields:
                  saleId: entity_id
                  occurredAt: created_at
                  currency: currency
                  inclusive: {credit: credit, debit: debit}
                  checkoutId: order_id
                ofType:
                  purchase:
                    inclusive: amount
                  refund:
                    refundOf: payment_id
                  chargeback:
                    saleId: dispute_id
                    refundOf: payment_id
                  chargebackReversal:
                    reversalOf: dispute_id
                ignored: [fee, tax, on_hold, settled, settled_at, settlement_id, description, notes, arn, settlement_utr, order_receipt, method, upi_flow, "card_*"]
                """,
            text: """
                entity_id,type,debit,credit,amount,currency,fee,tax,on_hold,settled,created_at,settled_at,settlement_id,description,notes,payment_id,arn,settlement_utr,order_id,order_receipt,method,upi_flow,card_network,card_issuer,card_type,dispute_id
                pay_1,payment,0.00,976.40,1000.00,INR,23.60,3.60,No,Yes,01/11/2026 10:00:00,20/11/2026,setl_A,,{},,,UTR1,order_1,,card,,Visa,HDFC,credit,
                pay_2,payment,0.00,487.22,499.00,INR,11.78,1.80,No,Yes,01/11/2026 23:30:00,20/11/2026,setl_A,,{},,,UTR1,order_2,,card,,Visa,HDFC,credit,
                pay_3,payment,0.00,29.09,29.99,USD,0.90,0.14,No,Yes,02/11/2026 08:00:00,20/11/2026,setl_A,,{},,,UTR1,order_3,,card,,Visa,HDFC,credit,
                pay_4,payment,0.00,732.30,750.00,INR,17.70,2.70,No,Yes,02/11/2026 09:00:00,20/11/2026,setl_A,,{},,,UTR1,order_4,,card,,Visa,HDFC,credit,
                pay_5,payment,0.00,117.17,120.00,INR,2.83,0.43,No,Yes,02/11/2026 09:30:00,20/11/2026,setl_A,,{},,,UTR1,order_5,,card,,Visa,HDFC,credit,
                rfnd_1,refund,499.00,0.00,499.00,INR,0.00,0.00,No,Yes,03/11/2026 10:00:00,20/11/2026,setl_A,,{},pay_2,,UTR1,,,card,,Visa,HDFC,credit,
                rfnd_2,refund,250.00,0.00,250.00,INR,0.00,0.00,No,Yes,04/11/2026 10:00:00,20/11/2026,setl_A,,{},pay_1,,UTR1,,,card,,Visa,HDFC,credit,
                rfnd_3,refund,10.00,0.00,10.00,USD,0.00,0.00,No,Yes,05/11/2026 10:00:00,20/11/2026,setl_A,,{},pay_3,,UTR1,,,card,,Visa,HDFC,credit,
                adj_1,adjustment,750.00,0.00,750.00,INR,0.00,0.00,No,Yes,06/11/2026 10:00:00,20/11/2026,setl_A,Chargeback deducted,{},pay_4,,UTR1,,,card,,Visa,HDFC,credit,disp_1
                adj_2,adjustment,0.00,750.00,750.00,INR,0.00,0.00,No,Yes,16/11/2026 10:00:00,20/11/2026,setl_A,Chargeback won,{},pay_4,,UTR1,,,card,,Visa,HDFC,credit,disp_1
                adj_4,adjustment,120.00,0.00,120.00,INR,0.00,0.00,No,Yes,16/11/2026 11:00:00,20/11/2026,setl_A,Chargeback deducted,{},pay_5,,UTR1,,,card,,Visa,HDFC,credit,disp_2
                adj_3,adjustment,5.00,0.00,5.00,INR,0.00,0.00,No,Yes,16/11/2026 12:00:00,20/11/2026,setl_A,Correction,{},,,UTR1,,,card,,Visa,HDFC,credit,
                trf_1,transfer,30.00,0.00,30.00,INR,0.00,0.00,No,Yes,17/11/2026 10:00:00,20/11/2026,setl_A,,{},pay_1,,UTR1,,,card,,Visa,HDFC,credit,
                """,
            encoding: .utf8,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 5, "refund": 3, "chargeback": 2, "chargebackReversal": 1],
            payments: ["INR": "2369.00", "USD": "29.99"],
            refunds: ["INR": "1619.00", "USD": "10.00"],
            leftOut: ["adjustment": 1, "transfer": 1]
        ),
        OwnProfile(
            name: "Mercado Pago, Portuguese",
            profile: """
                description: Mercado Pago, relatório de vendas (Brazil)
                file: {delimiter: semicolon, skip: 1}
                numbers: {decimal: ",", thousands: "."}
                times: {formats: ["dd-MM-yyyy HH:mm:ss"], zone: America/Sao_Paulo}
                type:
                  column: MOVEMENT_TYPE
                  words: {Pagamento: purchase, Pagamento recusado: leave-out, Devolução: refund, Contestação: chargeback, Saque: leave-out, Tarifa: leave-out}
                values: {currency: BRL, quantity: 1}
                fields:
                  saleId: PAYMENT_ID
                  occurredAt: OPERATION_DATETIME
                  inclusive: GROSS_VALUE
                ofType:
                  refund:
                    saleId: {text: "{PAYMENT_ID}/refund/{OPERATION_DATETIME}/{GROSS_VALUE}"}
                    refundOf: PAYMENT_ID
                  chargeback:
                    saleId: {text: "{PAYMENT_ID}/chargeback/{OPERATION_DATETIME}/{GROSS_VALUE}"}
                    refundOf: PAYMENT_ID
                ignored: [RELEASE_DATETIME, LOCAL, CHARGE_METHOD, "PAYMENT_METHOD*", SALES_DISCOUNTS, NET]
                """,
            text: """
                \u{FEFF}
                OPERATION_DATETIME;RELEASE_DATETIME;MOVEMENT_TYPE;PAYMENT_ID;LOCAL;CHARGE_METHOD;PAYMENT_METHOD_DETAIL;PAYMENT_METHOD;GROSS_VALUE;SALES_DISCOUNTS;NET
                01-11-2026 08:47:55;01-11-2026 08:47:55;Pagamento;170000000001;Loja;Checkout;Visa;Cartão de crédito;1.234,50;-60,00;1174,50
                01-11-2026 09:00:00;01-11-2026 09:00:00;Pagamento;170000000002;Loja;Checkout;Visa;Cartão de crédito;46,00;-0,34;45,66
                02-11-2026 23:59:59;02-11-2026 23:59:59;Pagamento;170000000003;Loja;Checkout;Visa;Cartão de crédito;10,50;-0,12;10,38
                03-11-2026 10:00:00;03-11-2026 10:00:00;Devolução;170000000002;Loja;Checkout;Visa;Cartão de crédito;-46,00;0,00;-46,00
                04-11-2026 11:00:00;04-11-2026 11:00:00;Devolução;170000000001;Loja;Checkout;Visa;Cartão de crédito;-200,00;0,00;-200,00
                05-11-2026 12:00:00;05-11-2026 12:00:00;Devolução;170000000001;Loja;Checkout;Visa;Cartão de crédito;-34,50;0,00;-34,50
                06-11-2026 13:00:00;06-11-2026 13:00:00;Contestação;170000000003;Loja;Checkout;Visa;Cartão de crédito;-10,50;0,00;-10,50
                06-11-2026 14:00:00;06-11-2026 14:00:00;Pagamento recusado;170000000004;Loja;Checkout;Visa;Cartão de crédito;99,00;0,00;99,00
                07-11-2026 15:00:00;07-11-2026 15:00:00;Pagamento;170000000005;Loja;Checkout;Visa;Cartão de crédito;30,00;-0,40;29,60
                08-11-2026 16:00:00;08-11-2026 16:00:00;Devolução;170000000005;Loja;Checkout;Visa;Cartão de crédito;-5,00;0,00;-5,00
                08-11-2026 16:00:00;08-11-2026 16:00:00;Devolução;170000000005;Loja;Checkout;Visa;Cartão de crédito;-5,00;0,00;-5,00
                09-11-2026 17:00:00;09-11-2026 17:00:00;Saque;170000000900;Loja;Checkout;Visa;Cartão de crédito;-500,00;0,00;-500,00
                09-11-2026 18:00:00;09-11-2026 18:00:00;Tarifa;170000000901;Loja;Checkout;Visa;Cartão de crédito;-1,99;0,00;-1,99
                """,
            encoding: .utf8,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 4, "refund": 5, "chargeback": 1],
            payments: ["BRL": "1321.00"],
            refunds: ["BRL": "301.00"],
            leftOut: ["Pagamento recusado": 1, "Saque": 1, "Tarifa": 1]
        ),
        OwnProfile(
            name: "Sipag, a dash for no amount",
            profile: """
                description: Sipag, relatório de vendas pix
                file: {delimiter: semicolon, skip: 2, encoding: windows-1252}
                numbers: {decimal: ",", thousands: ".", symbols: ["R$"]}
                times: {formats: ["dd/MM/yyyy HH:mm:ss"], zone: America/Sao_Paulo}
                type:
                  column: Status
                  words: {LIQUIDADA: purchase, "REEMBOLSADA*": purchase, NEGADA: leave-out, "": leave-out}
                values: {currency: BRL, quantity: 1}
                fields:
                  saleId: Código da Transação
                  occurredAt: Data da Venda
                  inclusive: Valor da Venda
                refund:
                  total: {column: Valor Reembolsado, words: {"-": ""}}
                  fields:
                    saleId: {text: "{Código da Transação}/refund/{Valor Reembolsado}"}
                ignored: [Estabelecimento, Nº Terminal, Nome do Pagador]
                """,
            text: """
                Relatório de vendas pix
                Estabelecimento(s);CB-116403700001
                Estabelecimento;Data da Venda;Status;Código da Transação;Nº Terminal;Nome do Pagador;Valor Reembolsado;Valor da Venda
                CB-116403700001;01/11/2026 08:14:55;LIQUIDADA;CODIGO1;21118969;PAGADOR;-;R$ 9,98
                CB-116403700001;01/11/2026 09:14:55;LIQUIDADA;CODIGO2;21118969;PAGADOR;-;R$ 1.234,50
                CB-116403700001;02/11/2026 10:00:00;REEMBOLSADA;CODIGO3;21118969;PAGADOR;R$ 30,00;R$ 30,00
                CB-116403700001;02/11/2026 11:00:00;REEMBOLSADA PARCIAL;CODIGO4;21118969;PAGADOR;R$ 10,50;R$ 100,00
                CB-116403700001;02/11/2026 12:00:00;NEGADA;CODIGO5;21118969;PAGADOR;-;R$ 77,00
                Total;;;;;;R$ 40,50;R$ 1.451,48
                """,
            encoding: .windowsCP1252,
            set: ["productId=gems.100", "taxRate=21", "taxCountry=NLD"],
            newByType: ["purchase": 4, "refund": 2],
            payments: ["BRL": "1374.48"],
            refunds: ["BRL": "40.50"],
            leftOut: ["(empty)": 1, "NEGADA": 1]
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
