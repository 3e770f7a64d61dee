if (Notification.permission === "granted") new window.Notification("Storm");
