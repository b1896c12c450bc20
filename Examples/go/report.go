package main

import (
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

type Report struct {
	RequestIdentifier  string     `json:"requestIdentifier"`
	ExternalPurchaseID string     `json:"externalPurchaseId"`
	Status             string     `json:"status"`
	LineItems          []LineItem `json:"lineItems,omitempty"`
}

// LineItem has its amounts in milliunits: 1/1000 of the currency's unit.
type LineItem struct {
	LineItemID            string `json:"lineItemId"`
	CreationDate          int64  `json:"creationDate"`
	EventType             string `json:"eventType"`
	ProductType           string `json:"productType,omitempty"`
	ProductIdentifier     string `json:"productIdentifier,omitempty"`
	Quantity              int64  `json:"quantity,omitempty"`
	ReferenceLineItemID   string `json:"referenceLineItemId,omitempty"`
	AmountTaxExclusive    int64  `json:"amountTaxExclusive"`
	TaxAmount             int64  `json:"taxAmount"`
	AmountTaxInclusive    int64  `json:"amountTaxInclusive"`
	NetAmountTaxExclusive int64  `json:"netAmountTaxExclusive"`
	PricingCurrency       string `json:"pricingCurrency"`
	ReportingCurrency     string `json:"reportingCurrency"`
	TaxCountry            string `json:"taxCountry"`
}

type ReportError struct {
	ErrorCode    int    `json:"errorCode"`
	ErrorMessage string `json:"errorMessage"`
	FieldName    string `json:"fieldName"`
}

// region report

// bearerToken signs a token for one request.
func bearerToken(app App, key *ecdsa.PrivateKey) (string, error) {
	now := time.Now().Unix()
	header, _ := json.Marshal(map[string]any{"alg": "ES256", "kid": app.KeyID, "typ": "JWT"})
	claims, _ := json.Marshal(map[string]any{
		"iss": app.IssuerID, "iat": now, "exp": now + 300, "aud": "appstoreconnect-v1", "bid": app.BundleID,
	})
	encode := base64.RawURLEncoding.EncodeToString
	text := encode(header) + "." + encode(claims)
	digest := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		return "", err
	}
	// ES256 is 64 bytes r‖s, not DER.
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return text + "." + encode(signature), nil
}

// sendReport sends a report and returns Apple's errors; none means that the report is accepted.
//
// After a timeout the outcome is unknown: GET /externalPurchase/v1/reports/{requestIdentifier} tells it. Only if Apple
// does not have the report, send the same bytes again.
func sendReport(app App, key *ecdsa.PrivateKey, report Report) ([]ReportError, error) {
	bearer, err := bearerToken(app, key)
	if err != nil {
		return nil, err
	}
	status, body, err := call("PUT", baseURL+"/externalPurchase/v1/reports", report, "Bearer "+bearer)
	if err != nil || status == http.StatusOK {
		return nil, err
	}
	var answer struct {
		Errors []ReportError `json:"errors"`
	}
	if status == http.StatusBadRequest && json.Unmarshal(body, &answer) == nil && len(answer.Errors) > 0 {
		return answer.Errors, nil
	}
	return nil, fmt.Errorf("PUT /externalPurchase/v1/reports: %d %s", status, body)
}

// endregion

func uuid() string {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		panic(err)
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// milliunits converts cents. A cent is 10 milliunits; a yen, which has no cents, is 1000.
func milliunits(cents int64) int64 { return cents * 10 }

func newLineItem(eventType string, net, tax, remaining int64) LineItem {
	return LineItem{
		LineItemID: uuid(), CreationDate: time.Now().UnixMilli(), EventType: eventType,
		AmountTaxExclusive: milliunits(net), TaxAmount: milliunits(tax), AmountTaxInclusive: milliunits(net + tax),
		NetAmountTaxExclusive: milliunits(remaining),
		PricingCurrency:       "EUR", ReportingCurrency: "EUR", TaxCountry: "NLD",
	}
}

// send sends a report, prints the outcome and returns the errors as text.
func send(name string, app App, key *ecdsa.PrivateKey, report Report) (string, error) {
	refusals, err := sendReport(app, key, report)
	if err != nil {
		return "", err
	}
	outcome, found := "accepted", []string{}
	if len(refusals) > 0 {
		outcome = "refused"
	}
	fmt.Printf("%s %s: %s\n", name, report.LineItems[0].LineItemID, outcome)
	for _, refusal := range refusals {
		fmt.Printf("  code %d, field %s: %s\n", refusal.ErrorCode, refusal.FieldName, refusal.ErrorMessage)
		found = append(found, fmt.Sprint(refusal.ErrorCode, " ", refusal.FieldName))
	}
	return strings.Join(found, ", "), nil
}

func reportSaleAndRefund(app App, key *ecdsa.PrivateKey, externalPurchaseID string) error {
	// Store the report before it is sent, so that nothing sends the same sale under another identifier.
	reportOf := func(item LineItem) Report { return Report{uuid(), externalPurchaseID, "LINE_ITEM", []LineItem{item}} }
	expect := func(expected, name string, report Report) error {
		found, err := send(name, app, key, report)
		if err == nil && found != expected {
			err = fmt.Errorf("the report of the %s drew '%s', not '%s'", name, found, expected)
		}
		return err
	}

	// EUR 9.99, of it 1.73 tax.
	sale := newLineItem("BUY", 826, 173, 826)
	sale.ProductType, sale.ProductIdentifier, sale.Quantity = "ONE_TIME_BUY", "com.example.shop.gems", 1
	if err := expect("", "sale", reportOf(sale)); err != nil {
		return err
	}
	// EUR 3.00 go back. Amounts of refunds have no minus sign; the net amount is what is left of the sale.
	item := newLineItem("REFUND", 248, 52, 826)
	item.ReferenceLineItemID = sale.LineItemID
	refund := reportOf(item)
	if err := expect("12 netAmountTaxExclusive", "refund", refund); err != nil {
		return err
	}
	// A refused report leaves nothing behind, so the corrected one has the same identifiers.
	refund.LineItems[0].NetAmountTaxExclusive = milliunits(826 - 248)
	return expect("", "refund", refund)
}
