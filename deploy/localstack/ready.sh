#!/usr/bin/env bash
# Runs inside LocalStack once it is ready: the bucket, the dead-letter queue and the queue that redrives into it.
set -euo pipefail
export AWS_DEFAULT_REGION=eu-west-1
awslocal s3api create-bucket --bucket archive --create-bucket-configuration LocationConstraint=eu-west-1
awslocal sqs create-queue --queue-name messages-dead-letters
arn=$(awslocal sqs get-queue-attributes \
  --queue-url http://localhost:4566/000000000000/messages-dead-letters \
  --attribute-names QueueArn --query Attributes.QueueArn --output text)
awslocal sqs create-queue --queue-name messages --attributes \
  "{\"VisibilityTimeout\":\"60\",\"RedrivePolicy\":\"{\\\"deadLetterTargetArn\\\":\\\"$arn\\\",\\\"maxReceiveCount\\\":\\\"10\\\"}\"}"
