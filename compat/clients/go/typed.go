package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

func (p *program) typed() (kubernetes.Interface, error) {
	config := rest.CopyConfig(p.config)
	config.ContentType = "application/json"
	config.AcceptContentTypes = "application/json"
	return kubernetes.NewForConfig(config)
}

func useTyped(p *program) error {
	client, err := p.typed()
	if err != nil {
		return err
	}
	return p.useTypedClient(client, "application/json", "json")
}

// useDefaultTyped is useTyped with the protobuf that typed clients speak by default.
func useDefaultTyped(p *program) error {
	client, err := kubernetes.NewForConfig(p.config)
	if err != nil {
		return err
	}
	return p.useTypedClient(client, "", "protobuf")
}

func (p *program) useTypedClient(client kubernetes.Interface, contentType, name string) error {
	var err error
	if _, err = client.CoreV1().Secrets(p.namespace).Create(p.ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"k": "v"}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	secret, err := client.CoreV1().Secrets(p.namespace).Get(p.ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if err = want("the secret", string(secret.Data["k"]), "v"); err != nil {
		return err
	}
	account, err := client.CoreV1().ServiceAccounts(p.namespace).Create(p.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	token, err := client.CoreV1().ServiceAccounts(p.namespace).CreateToken(p.ctx, account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if _, err = client.RbacV1().RoleBindings(p.namespace).Create(p.ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Name: account.Name, Namespace: p.namespace}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
	}, metav1.CreateOptions{}); err != nil {
		return err
	}
	config := rest.AnonymousClientConfig(p.config)
	config.BearerToken, config.ContentType = token.Status.Token, contentType
	robot, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	question := &authorizationv1.SelfSubjectAccessReview{
		Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: p.namespace, Verb: "get", Resource: "secrets"}},
	}
	// The reference follows new bindings by milliseconds.
	for try := 0; ; try++ {
		review, err := robot.AuthorizationV1().SelfSubjectAccessReviews().Create(p.ctx, question, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if review.Status.Allowed {
			break
		}
		if try == 20 {
			return fmt.Errorf("the robot may not read secrets: %s", review.Status.Reason)
		}
		time.Sleep(50 * time.Millisecond)
	}
	_, err = robot.CoreV1().Secrets(p.namespace).List(p.ctx, metav1.ListOptions{})
	return err
}

func elect(p *program) error {
	client, err := p.typed()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	led := false
	leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: p.namespace},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "client"},
		},
		LeaseDuration:   3 * time.Second,
		RenewDeadline:   2 * time.Second,
		RetryPeriod:     200 * time.Millisecond,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; time.Sleep(500 * time.Millisecond); cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if !led {
		return errors.New("nobody led")
	}
	lease, err := client.CoordinationV1().Leases(p.namespace).Get(p.ctx, "leader", metav1.GetOptions{})
	if err != nil {
		return err
	}
	if lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != "" {
		return fmt.Errorf("the lease is still held by %s", *lease.Spec.HolderIdentity)
	}
	return nil
}
