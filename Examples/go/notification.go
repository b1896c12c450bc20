package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"strings"
	"time"
)

var (
	// The identifiers of two extensions that only Apple's certificates for this purpose have.
	intermediateMarker = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 2, 1}
	leafMarker         = asn1.ObjectIdentifier{1, 2, 840, 113635, 100, 6, 11, 1}
)

const maximumBody = 256 * 1024

// Refusal is the reason for which a notification is not genuine.
type Refusal string

func (r Refusal) Error() string { return string(r) }

type Payload struct {
	NotificationType string `json:"notificationType"`
	Subtype          string `json:"subtype"`
	NotificationUUID string `json:"notificationUUID"`
	Version          string `json:"version"`
	SignedDate       int64  `json:"signedDate"`
	Token            *About `json:"externalPurchaseToken"`
	// Data is in the place of the token in a test notification.
	Data *About `json:"data"`
}

type About struct {
	ExternalPurchaseID string `json:"externalPurchaseId"`
	BundleID           string `json:"bundleId"`
	AppAppleID         int64  `json:"appAppleId"`
	Environment        string `json:"environment"`
}

func readObject(part string, value any) bool {
	text, err := base64.RawURLEncoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, value) == nil
}

// verify returns the payload of a genuine notification. Nothing asks whether a certificate was revoked.
func verify(signedPayload string, app App, root *x509.Certificate) (*Payload, error) {
	parts := strings.Split(signedPayload, ".")
	if len(parts) != 3 || parts[0] == "" || parts[1] == "" || parts[2] == "" {
		return nil, Refusal("not-three-parts")
	}
	var header struct {
		Algorithm string   `json:"alg"`
		Chain     [][]byte `json:"x5c"` // encoding/json reads Base64
	}
	var payload Payload
	switch isRead := readObject(parts[0], &header); {
	case !isRead:
		return nil, Refusal("header-unreadable")
	case header.Algorithm != "ES256":
		return nil, Refusal("algorithm-not-es256")
	case header.Chain == nil:
		return nil, Refusal("chain-missing")
	case len(header.Chain) != 3:
		return nil, Refusal("chain-length")
	case !readObject(parts[1], &payload):
		return nil, Refusal("payload-unreadable")
	}
	// The third certificate is not read: the root comes from the settings only.
	leaf, err := x509.ParseCertificate(header.Chain[0])
	intermediate, err2 := x509.ParseCertificate(header.Chain[1])
	if err != nil || err2 != nil {
		return nil, Refusal("certificate-unreadable")
	}
	moment := time.Now()
	if payload.SignedDate != 0 {
		moment = time.UnixMilli(payload.SignedDate)
	}
	if err := checkChain(leaf, intermediate, root, moment); err != nil {
		return nil, err
	}

	key, isECDSA := leaf.PublicKey.(*ecdsa.PublicKey)
	if !isECDSA || key.Curve != elliptic.P256() {
		return nil, Refusal("leaf-key-not-p256")
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || len(signature) != 64 ||
		!ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return nil, Refusal("signature-wrong")
	}

	about := payload.Token
	if about == nil {
		about = payload.Data
	}
	if about == nil || payload.NotificationType == "" || payload.NotificationUUID == "" || payload.Version == "" ||
		payload.SignedDate == 0 {
		return nil, Refusal("payload-incomplete")
	}
	if about.BundleID != app.BundleID || environment == "production" && about.AppAppleID != app.AppAppleID {
		return nil, Refusal("wrong-app")
	}
	isSandbox := about.Environment == "Sandbox" || strings.HasPrefix(about.ExternalPurchaseID, "SANDBOX")
	if isSandbox != (environment == "sandbox") {
		return nil, Refusal("wrong-environment")
	}
	return &payload, nil
}

// checkChain refuses unless the chain is leaf, intermediate, root at a moment.
func checkChain(leaf, intermediate, root *x509.Certificate, moment time.Time) error {
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AddCert(root)
	intermediates.AddCert(intermediate)
	chains, err := leaf.Verify(x509.VerifyOptions{
		Roots: roots, Intermediates: intermediates, CurrentTime: moment, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny},
	})
	var invalid x509.CertificateInvalidError
	if errors.As(err, &invalid) && invalid.Reason == x509.Expired {
		if moment.Before(invalid.Cert.NotBefore) {
			return Refusal("certificate-not-yet-valid")
		}
		return Refusal("certificate-expired")
	}
	if err != nil || len(chains[0]) != 3 || !chains[0][1].Equal(intermediate) {
		return Refusal("chain-untrusted")
	}
	if !hasExtension(intermediate, intermediateMarker) {
		return Refusal("intermediate-marker-missing")
	}
	if !hasExtension(leaf, leafMarker) {
		return Refusal("leaf-marker-missing")
	}
	return nil
}

func hasExtension(certificate *x509.Certificate, identifier asn1.ObjectIdentifier) bool {
	for _, extension := range certificate.Extensions {
		if extension.Id.Equal(identifier) {
			return true
		}
	}
	return false
}

// receiver answers notifications: Apple sends what is not answered with 200 again.
func receiver(app App, root *x509.Certificate) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		var body struct {
			SignedPayload string `json:"signedPayload"`
		}
		var payload *Payload
		err := json.NewDecoder(http.MaxBytesReader(response, request.Body, maximumBody)).Decode(&body)
		if err != nil || body.SignedPayload == "" {
			err = Refusal("body-unreadable")
		} else {
			payload, err = verify(body.SignedPayload, app, root)
		}
		if err != nil {
			fmt.Printf("notification refused: %v\n", err)
			response.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Printf("notification %s: %s is genuine\n", payload.NotificationUUID, payload.Subtype)
		// Answer 200 only after the notification is stored.
		response.WriteHeader(http.StatusOK)
	}
}

func receiveNotifications(app App, externalPurchaseID string, root *x509.Certificate) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: receiver(app, root), ReadTimeout: 30 * time.Second}
	go server.Serve(listener)
	defer server.Close()
	registration := map[string]string{"notificationURL": "http://" + listener.Addr().String() + "/"}
	if err := control("PUT", "/apps/"+app.BundleID, registration, &struct{}{}); err != nil {
		return err
	}
	order := map[string]string{"externalPurchaseId": externalPurchaseID, "subtype": "UNREPORTED"}
	for _, damage := range []string{"", "signature-wrong", "body-unreadable"} {
		expected := "SUCCESS"
		if damage != "" {
			order["damage"], expected = damage, "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
		}
		var record struct {
			SendAttempts []struct{ SendAttemptResult string }
		}
		if err := control("POST", "/notifications", order, &record); err != nil {
			return err
		}
		if n := len(record.SendAttempts); n == 0 || record.SendAttempts[n-1].SendAttemptResult != expected {
			return fmt.Errorf("the notification %v ended with %v, not %s", order, record.SendAttempts, expected)
		}
	}
	return nil
}
