await Notification?.requestPermission?.();
