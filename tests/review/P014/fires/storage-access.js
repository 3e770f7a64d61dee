document.requestStorageAccess();
