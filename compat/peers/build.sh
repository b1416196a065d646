#!/bin/sh
# Builds the reference programs from Go modules into .cache/peers/bin: etcd, kubectl, kube-apiserver,
# kube-controller-manager, sample-controller, sample-apiserver, metrics-server, helm (Helm 3), helm4, h2spec; and when
# they are named, the webhooks cert-manager-webhook and gatekeeper.
# About 10 minutes on 2 cores the first time; a program that is there already is kept.
# usage: compat/peers/build.sh [etcd] [kubectl] [kube-apiserver] [kube-controller-manager] [sample-controller]
#   [sample-apiserver] [metrics-server] [helm] [helm4] [h2spec]
#   [cert-manager-webhook] [gatekeeper] [etcdutl] [etcd-3.5] [etcd-3.4] [libfaketime]
# Older releases of etcd are built only if they are named. 3.4 is not a Go module; Debian's package etcd-server is used.
# libfaketime, a library that moves the clock of a process, is Debian's, too.
set -eu

KUBERNETES=1.36.3
ETCD=3.6.7
ETCD35=3.5.35
ETCD34=3.4
FAKETIME=0.9
HELM=3.22.0
HELM4=4.3.1
H2SPEC=2.2.1
METRICS_SERVER=0.9.0
CERT_MANAGER=1.21.2
GATEKEEPER=3.23.1
STAGING=v0.${KUBERNETES#1.}

root=$(cd "$(dirname "$0")/../.." && pwd)
cache=${KEELSON_PEERS:-$root/.cache/peers}
bin=$cache/bin
mkdir -p "$bin"
export GOFLAGS="-buildvcs=false -mod=mod" CGO_ENABLED=0

# begin NAME: an empty module to build NAME in.
begin() {
	rm -rf "$cache/src/$1"
	mkdir -p "$cache/src/$1"
	cd "$cache/src/$1"
	go mod init "peer/$1" 2>/dev/null
	if [ -f "$root/compat/peers/$1.go.txt" ]; then cp "$root/compat/peers/$1.go.txt" main.go; fi
}

# k8s.io/kubernetes requires its staging modules at v0.0.0; they are published under the release's own number.
require_kubernetes() {
	gomod=$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
	for module in $(grep -oE 'k8s\.io/[a-z0-9-]+ v0\.0\.0( |$)' "$gomod" | awk '{print $1}' | sort -u); do
		go mod edit -replace="$module=$module@$STAGING"
	done
	go mod edit -require="k8s.io/kubernetes@v$KUBERNETES"
	go mod tidy >/dev/null 2>&1
}

# The versions that Kubernetes itself is built with, for a module that requires slightly different ones: the packages
# then come from the build cache. Without this metrics-server alone takes 5 CPU minutes.
pin_kubernetes() {
	gomod=$(go mod download -json "k8s.io/kubernetes@v$KUBERNETES" | sed -n 's/.*"GoMod": "\(.*\)",/\1/p')
	sed -nE 's/^\t([^ ]+) (v[^ ]+).*/\1 \2/p' "$gomod" | while read -r module version; do
		[ "$version" = v0.0.0 ] && version=$STAGING
		echo "-replace=$module=$module@$version"
	done | xargs go mod edit
}

# copy_from MODULE FOLDER NAME: a folder of a module that is required here, as $cache/NAME.
copy_from() {
	rm -rf "${cache:?}/$3"
	cp -r "$(go list -m -f '{{.Dir}}' "$1")/$2" "$cache/$3"
	chmod -R u+w "$cache/$3"
}

# finish NAME VERSION FLAGS [PACKAGE]: the program appears in the cache only when it is whole.
finish() {
	go build -ldflags="$3" -o "$bin/.$1" "${4:-.}"
	mv "$bin/.$1" "$bin/$1"
	echo "$2" >"$bin/$1.version"
	echo "built $1 $2"
}

have() { [ -x "$bin/$1" ] && [ "$(cat "$bin/$1.version" 2>/dev/null)" = "$2" ]; }

build() {
	case $1 in
	etcd)
		have etcd $ETCD && return
		begin etcd
		go get "go.etcd.io/etcd/server/v3@v$ETCD"
		finish etcd $ETCD '-s -w'
		;;
	etcdutl)
		have etcdutl $ETCD && return
		begin etcdutl
		go get -tool "go.etcd.io/etcd/etcdutl/v3@v$ETCD"
		finish etcdutl $ETCD '-s -w' go.etcd.io/etcd/etcdutl/v3
		;;
	etcd-3.5)
		have etcd-3.5 $ETCD35 && return
		begin etcd-3.5
		cp "$root/compat/peers/etcd.go.txt" main.go
		go get "go.etcd.io/etcd/server/v3@v$ETCD35"
		finish etcd-3.5 $ETCD35 '-s -w'
		;;
	etcd-3.4)
		have etcd-3.4 $ETCD34 && return
		rm -rf "$cache/src/etcd-3.4"
		mkdir -p "$cache/src/etcd-3.4"
		cd "$cache/src/etcd-3.4"
		apt-get download etcd-server
		dpkg-deb -x etcd-server_"$ETCD34"*.deb .
		cp usr/bin/etcd "$bin/.etcd-3.4"
		mv "$bin/.etcd-3.4" "$bin/etcd-3.4"
		echo $ETCD34 >"$bin/etcd-3.4.version"
		;;
	libfaketime)
		have libfaketime $FAKETIME && return
		rm -rf "$cache/src/libfaketime"
		mkdir -p "$cache/src/libfaketime"
		cd "$cache/src/libfaketime"
		apt-get download libfaketime || { apt-get update -qq && apt-get download libfaketime; }
		dpkg-deb -x libfaketime_"$FAKETIME"*.deb .
		cp usr/lib/*/faketime/libfaketimeMT.so.1 "$bin/.libfaketime"
		mv "$bin/.libfaketime" "$bin/libfaketime"
		echo $FAKETIME >"$bin/libfaketime.version"
		;;
	kubectl)
		have kubectl $KUBERNETES && return
		begin kubectl
		go get "k8s.io/kubectl@$STAGING"
		finish kubectl $KUBERNETES "-s -w $versions"
		;;
	sample-controller)
		have sample-controller "$KUBERNETES" && return
		begin sample-controller
		go get -tool "k8s.io/sample-controller@$STAGING"
		# Its definition and objects are the examples of its module.
		copy_from k8s.io/sample-controller artifacts sample-controller
		finish sample-controller "$KUBERNETES" '-s -w' k8s.io/sample-controller
		;;
	sample-apiserver)
		have sample-apiserver "$KUBERNETES" && return
		begin sample-apiserver
		go get -tool "k8s.io/sample-apiserver@$STAGING"
		finish sample-apiserver "$KUBERNETES" '-s -w' k8s.io/sample-apiserver
		;;
	metrics-server)
		have metrics-server $METRICS_SERVER && return
		begin metrics-server
		pin_kubernetes
		go get -tool "sigs.k8s.io/metrics-server/cmd/metrics-server@v$METRICS_SERVER"
		finish metrics-server $METRICS_SERVER '-s -w' sigs.k8s.io/metrics-server/cmd/metrics-server
		;;
	cert-manager-webhook)
		have cert-manager-webhook $CERT_MANAGER && return
		begin cert-manager-webhook
		# The packages of the webhook are internal: only modules below this path may import them.
		go mod edit -module=github.com/cert-manager/cert-manager/peer
		pin_kubernetes
		go get "github.com/cert-manager/cert-manager@v$CERT_MANAGER"
		copy_from github.com/cert-manager/cert-manager deploy/crds cert-manager-crds
		finish cert-manager-webhook $CERT_MANAGER '-s -w'
		;;
	gatekeeper)
		have gatekeeper $GATEKEEPER && return
		# Built in a copy of its module, with the versions that its own go.mod requires.
		module=$(go mod download -json "github.com/open-policy-agent/gatekeeper/v3@v$GATEKEEPER" |
			sed -n 's/.*"Dir": "\(.*\)",/\1/p')
		rm -rf "$cache/src/gatekeeper" "$cache/gatekeeper-crds"
		cp -r "$module" "$cache/src/gatekeeper"
		cp -r "$module/charts/gatekeeper/crds" "$cache/gatekeeper-crds"
		chmod -R u+w "$cache/src/gatekeeper" "$cache/gatekeeper-crds"
		cd "$cache/src/gatekeeper"
		finish gatekeeper $GATEKEEPER '-s -w'
		;;
	helm)
		have helm $HELM && return
		begin helm
		# The program lies inside its module: a tool, as Go calls it, so that what it requires is known here.
		go get -tool "helm.sh/helm/v3/cmd/helm@v$HELM"
		finish helm $HELM "-s -w -X helm.sh/helm/v3/internal/version.version=v$HELM" helm.sh/helm/v3/cmd/helm
		;;
	helm4)
		have helm4 $HELM4 && return
		begin helm4
		go get -tool "helm.sh/helm/v4/cmd/helm@v$HELM4"
		finish helm4 $HELM4 "-s -w -X helm.sh/helm/v4/internal/version.version=v$HELM4" helm.sh/helm/v4/cmd/helm
		;;
	h2spec)
		have h2spec $H2SPEC && return
		begin h2spec
		# It is older than modules and says nothing of what it requires.
		go get "github.com/summerwind/h2spec@v$H2SPEC+incompatible" \
			github.com/fatih/color@v1.19.0 github.com/spf13/cobra@v1.10.2 golang.org/x/net@v0.62.0
		finish h2spec $H2SPEC "-s -w -X main.VERSION=$H2SPEC" github.com/summerwind/h2spec/cmd/h2spec
		;;
	kube-apiserver | kube-controller-manager)
		have "$1" $KUBERNETES && return
		begin "$1"
		require_kubernetes
		finish "$1" $KUBERNETES "-s -w $versions"
		;;
	*)
		echo "no such peer: $1" >&2
		exit 2
		;;
	esac
}

base=k8s.io/component-base/version
versions="-X $base.gitVersion=v$KUBERNETES -X $base.gitMajor=1 -X $base.gitMinor=36"

for peer in ${*:-etcd kubectl kube-apiserver kube-controller-manager sample-controller sample-apiserver metrics-server helm helm4 h2spec}; do build "$peer"; done
