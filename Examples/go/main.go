// This program reports a sale and its refund as Apple's External Purchase Server API asks, and verifies a signed
// notification. It needs Go 1.19 or later and no module. ../README.md has the settings.
package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

var (
	// In production: https://api.storekit.apple.com, and https://api.storekit-sandbox.apple.com for sandbox tokens.
	baseURL     = setting("EMULATOR_URL", "http://127.0.0.1:8801")
	credentials = setting("CREDENTIALS", "keys")
	environment = setting("APPLE_ENVIRONMENT", "sandbox")
	// In production: "Apple Root CA - G3" from https://www.apple.com/certificateauthority/, as a file.
	rootCertificate = setting("ROOT_CERTIFICATE", baseURL+"/emulator/v1/root.cer")
	client          = &http.Client{Timeout: 30 * time.Second}
)

type App struct {
	BundleID   string `json:"bundleId"`
	AppAppleID int64  `json:"appAppleId"`
	KeyID      string `json:"keyId"`
	IssuerID   string `json:"issuerId"`
	KeyFile    string `json:"keyFile"`
}

func setting(name, standard string) string {
	if value, isSet := os.LookupEnv(name); isSet {
		return value
	}
	return standard
}

func call(method, url string, value any, authorization string) (int, []byte, error) {
	body, err := json.Marshal(value)
	if err != nil {
		return 0, nil, err
	}
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return response.StatusCode, text, err
}

// control calls a control path of the emulator, which Apple does not have.
func control(method, path string, value, answer any) error {
	status, body, err := call(method, baseURL+"/emulator/v1"+path, value, "")
	if err != nil {
		return err
	}
	if status/100 != 2 {
		return fmt.Errorf("%s /emulator/v1%s: %d %s", method, path, status, body)
	}
	return json.Unmarshal(body, answer)
}

func readSettings() (app App, key *ecdsa.PrivateKey, root *x509.Certificate, err error) {
	if environment != "sandbox" && environment != "production" {
		return app, nil, nil, fmt.Errorf("APPLE_ENVIRONMENT=%s: sandbox or production is right", environment)
	}
	var file struct{ Apps []App }
	text, err := os.ReadFile(filepath.Join(credentials, "credentials.json"))
	if err != nil {
		return app, nil, nil, fmt.Errorf("%w; `emulator --credentials` writes it", err)
	}
	err = json.Unmarshal(text, &file)
	if err == nil && len(file.Apps) == 0 {
		err = fmt.Errorf("%s: names no app", filepath.Join(credentials, "credentials.json"))
	}
	if err != nil {
		return app, nil, nil, err
	}
	app = file.Apps[0]
	if text, err = os.ReadFile(filepath.Join(credentials, app.KeyFile)); err != nil {
		return app, nil, nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return app, nil, nil, fmt.Errorf("%s: is not PEM", app.KeyFile)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, isECDSA := parsed.(*ecdsa.PrivateKey)
	if err != nil || !isECDSA {
		return app, nil, nil, fmt.Errorf("%s: is no private key of P-256 in PKCS #8: %v", app.KeyFile, err)
	}
	var der []byte
	if strings.HasPrefix(rootCertificate, "http") {
		_, der, err = call("GET", rootCertificate, nil, "")
	} else {
		der, err = os.ReadFile(rootCertificate)
	}
	if err == nil {
		root, err = x509.ParseCertificate(der)
	}
	return app, key, root, err
}

func run() error {
	app, key, root, err := readSettings()
	if err != nil {
		return err
	}
	if signedPayload := os.Getenv("SIGNED_PAYLOAD"); signedPayload != "" {
		payload, err := verify(signedPayload, app, root)
		if err == nil {
			fmt.Println("genuine:", payload.NotificationType, payload.Subtype)
		}
		return err
	}
	var made struct{ Token string }
	order := map[string]string{"bundleId": app.BundleID, "environment": environment}
	if err := control("POST", "/tokens", order, &made); err != nil {
		return err
	}
	// A token is the Base64URL text of a JSON object. It is not signed.
	var token struct{ ExternalPurchaseID string }
	if !readObject(made.Token, &token) {
		return fmt.Errorf("the token %s is unreadable", made.Token)
	}
	fmt.Println("token", token.ExternalPurchaseID)
	if err := reportSaleAndRefund(app, key, token.ExternalPurchaseID); err != nil {
		return err
	}
	return receiveNotifications(app, token.ExternalPurchaseID, root)
}

func main() {
	if err := run(); err != nil {
		var refused Refusal
		word := "error"
		if errors.As(err, &refused) {
			word = "refused"
		}
		fmt.Fprintf(os.Stderr, "%s: %v\n", word, err)
		os.Exit(1)
	}
}
