package main

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	restclient "k8s.io/client-go/rest"
)

// trustQuestion is a chain as a peer sends it, with what the verifier is told about it.
type trustQuestion struct {
	Chain  []string `json:"chain"`
	Roots  []string `json:"roots"`
	Host   string   `json:"host"`
	Now    int64    `json:"now"`
	Client bool     `json:"client"`
}

func certificatesReply(q question) (answer, bool) {
	switch q.Op {
	case "certificate":
		return either(describeCertificate(q.Text)), true
	case "verify-certificate":
		return either(verifyCertificate(q.Doc)), true
	case "certificate-request":
		return either(checkRequest(q.Text)), true
	case "ca-bundle":
		return either(checkBundle(q.Text)), true
	}
	return answer{}, false
}

func parseCertificates(list []string) ([]*x509.Certificate, error) {
	certs := []*x509.Certificate{}
	for _, text := range list {
		der, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, err
		}
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		certs = append(certs, cert)
	}
	return certs, nil
}

// verifyCertificate answers with the serial numbers of all chains.
func verifyCertificate(doc json.RawMessage) (any, error) {
	q := trustQuestion{}
	if err := json.Unmarshal(doc, &q); err != nil {
		return nil, err
	}
	roots, err := parseCertificates(q.Roots)
	if err != nil {
		return nil, err
	}
	chain, err := parseCertificates(q.Chain)
	if err != nil {
		return nil, err
	}
	opts := x509.VerifyOptions{
		DNSName:       q.Host,
		CurrentTime:   time.UnixMilli(q.Now).UTC(),
		Roots:         x509.NewCertPool(),
		Intermediates: x509.NewCertPool(),
		KeyUsages:     []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if q.Client {
		opts.KeyUsages = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	}
	for _, root := range roots {
		opts.Roots.AddCert(root)
	}
	for _, cert := range chain[1:] {
		opts.Intermediates.AddCert(cert)
	}
	found, err := chain[0].Verify(opts)
	if err != nil {
		return nil, err
	}
	out := [][]string{}
	for _, chain := range found {
		serials := []string{}
		for _, cert := range chain {
			serials = append(serials, cert.SerialNumber.Text(16))
		}
		out = append(out, serials)
	}
	return out, nil
}

func describeCertificate(text string) (any, error) {
	certs, err := parseCertificates([]string{text})
	if err != nil {
		return nil, err
	}
	cert := certs[0]
	ips, uris := []string{}, []string{}
	for _, ip := range cert.IPAddresses {
		ips = append(ips, ip.String())
	}
	for _, uri := range cert.URIs {
		uris = append(uris, uri.String())
	}
	signature, key := cert.SignatureAlgorithm.String(), cert.PublicKeyAlgorithm.String()
	return map[string]any{
		"version": cert.Version, "serial": cert.SerialNumber.Text(16), "commonName": cert.Subject.CommonName,
		"organizations": append([]string{}, cert.Subject.Organization...),
		"notBefore":     cert.NotBefore.UnixMilli(), "notAfter": cert.NotAfter.UnixMilli(),
		"signature": strings.TrimLeft(signature, "0"), "key": strings.TrimLeft(key, "0"),
		"isCa": cert.BasicConstraintsValid && cert.IsCA, "keyUsage": int(cert.KeyUsage),
		"dnsNames":       append([]string{}, cert.DNSNames...),
		"emailAddresses": append([]string{}, cert.EmailAddresses...), "ipAddresses": ips, "uris": uris,
		"isUnhandled": len(cert.UnhandledCriticalExtensions) > 0,
	}, nil
}

func checkRequest(text string) (any, error) {
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	request, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return nil, err
	}
	if err := request.CheckSignature(); err != nil {
		return nil, err
	}
	return request.Subject.CommonName, nil
}

// checkBundle loads a bundle as the clients of webhooks do.
func checkBundle(text string) (any, error) {
	pem, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	config := restclient.Config{TLSClientConfig: restclient.TLSClientConfig{CAData: pem}}
	tls, err := restclient.TLSConfigFor(&config)
	if err != nil {
		return nil, err
	}
	return len(tls.RootCAs.Subjects()), nil
}
