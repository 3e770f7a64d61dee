def start(self):
    return None
