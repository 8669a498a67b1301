// Receives webhooks with Go 1.19 or later: WEBHOOK_SECRET=whsec_... PORT=9000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

const toleranceSeconds = 300
const maxBodyBytes = 1_000_000

var signature = regexp.MustCompile(`^t=([0-9]{1,12}), ?v1=([0-9a-f]{64})$`)
var seen sync.Map // In earnest: a table with a unique key on the event id.

// verify is true when the raw body was signed with one of the secrets within the tolerance.
func verify(body []byte, header string, secrets []string) bool {
	match := signature.FindStringSubmatch(header)
	if match == nil {
		return false
	}
	seconds, _ := strconv.ParseInt(match[1], 10, 64)
	age := time.Now().Unix() - seconds
	if age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	given, _ := hex.DecodeString(match[2])
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(match[1] + "."))
		mac.Write(body)
		if hmac.Equal(mac.Sum(nil), given) {
			return true
		}
	}
	return false
}

func main() {
	// While you rotate the secret, give both, separated by a comma.
	secrets := strings.Split(os.Getenv("WEBHOOK_SECRET"), ",")
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		if !verify(body, r.Header.Get("X-Service-Webhook-Signature"), secrets) {
			http.Error(w, "bad signature", http.StatusUnauthorized)
			return
		}
		var event struct {
			ID   string          `json:"id"`
			Type string          `json:"type"`
			Data json.RawMessage `json:"data"`
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "not JSON", http.StatusBadRequest)
			return
		}
		if _, known := seen.LoadOrStore(event.ID, true); !known {
			log.Println(event.Type, event.ID, string(event.Data)) // Put it on a queue here; do slow work after the answer.
		}
		w.WriteHeader(http.StatusOK)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
