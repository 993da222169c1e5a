#!/usr/bin/env bash
# Runs inside LocalStack once it is ready: the bucket, the dead-letter queue and the queue that redrives into it.
set -euo pipefail
export AWS_DEFAULT_REGION=eu-west-1
awslocal s3api create-bucket --bucket archive --create-bucket-configuration LocationConstraint=eu-west-1
awslocal sqs create-queue --queue-name messages-dead-letters
arn=$(awslocal sqs get-queue-attributes \
  --queue-url http://localhost:4566/000000000000/messages-dead-letters \
  --attribute-names QueueArn --query Attributes.QueueArn --output text)

# Logs that the bucket tells of: for the worker of the profile elasticsearch.
awslocal s3api create-bucket --bucket logs --create-bucket-configuration LocationConstraint=eu-west-1
awslocal sqs create-queue --queue-name cloudfront-events --attributes \
  "{\"VisibilityTimeout\":\"60\",\"RedrivePolicy\":\"{\\\"deadLetterTargetArn\\\":\\\"$arn\\\",\\\"maxReceiveCount\\\":\\\"10\\\"}\"}"
awslocal s3api put-bucket-notification-configuration --bucket logs --notification-configuration \
  '{"QueueConfigurations":[{"QueueArn":"arn:aws:sqs:eu-west-1:000000000000:cloudfront-events","Events":["s3:ObjectCreated:*"]}]}'

awslocal sqs create-queue --queue-name messages --attributes \
  "{\"VisibilityTimeout\":\"60\",\"RedrivePolicy\":\"{\\\"deadLetterTargetArn\\\":\\\"$arn\\\",\\\"maxReceiveCount\\\":\\\"10\\\"}\"}"
