SECRET_KEY = 'django-insecure-{{rand:az09:50:h25}}'
