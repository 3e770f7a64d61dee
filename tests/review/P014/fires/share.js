navigator.share({ title });
