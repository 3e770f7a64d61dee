const { pushManager } = registration;
pushManager.subscribe({});
