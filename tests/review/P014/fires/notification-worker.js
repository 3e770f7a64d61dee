self.registration.showNotification("Storm", { body: text });
