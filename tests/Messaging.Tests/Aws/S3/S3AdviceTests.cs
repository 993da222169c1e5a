using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;

namespace Messaging.Tests.Aws.S3;

public sealed class S3AdviceTests
{
    [Theory]
    [InlineData(S3Operations.Put, "s3:PutObject", "kms:GenerateDataKey")]
    [InlineData(S3Operations.Head, "s3:GetObject", "kms:Decrypt")]
    [InlineData(S3Operations.Get, "s3:GetObject", "kms:Decrypt")]
    public void For_AccessDenied_NamesThePermissionsOnBucketAndKey(string operation, string onBucket, string onKey)
    {
        S3Fault fault = new(AwsErrorKind.Refused, "AccessDenied", 403, RequestId: "4442587FB7D0A2F9");

        string advice = S3Advice.For(fault, operation, new string('b', 63));

        advice.ShouldContain(onBucket);
        advice.ShouldContain(onKey);
        $"{fault.Describe(operation)}. {advice}".Length.ShouldBeLessThanOrEqualTo(256, "The sink cuts the rest.");
    }

    [Fact]
    public void For_AccessDeniedToAPutWithSettings_NamesTheFurtherPermissions()
    {
        S3SinkOptions options = new() { Acl = "private" };
        S3Fault fault = new(AwsErrorKind.Refused, "AccessDenied", 403, RequestId: "4442587FB7D0A2F9");

        string advice = S3Advice.For(fault, S3Operations.Put, "archive", S3Advice.PermissionsFor(options, hasTags: true));

        advice.ShouldStartWith("Grant s3:PutObject, s3:PutObjectTagging, s3:PutObjectAcl (and");
        $"{fault.Describe(S3Operations.Put)}. {advice}".Length.ShouldBeLessThanOrEqualTo(256, "The sink cuts the rest.");
        S3Advice.PermissionsFor(new S3SinkOptions(), hasTags: false).ShouldBeEmpty();
    }

    [Fact]
    public void For_WhatTheBucketDoesNotHave_NamesTheSetting() =>
        S3Advice.For(new S3Fault(AwsErrorKind.Refused, "AccessControlListNotSupported", 400), S3Operations.Put, "archive").ShouldContain("Sinks:S3:Acl");

    [Theory]
    [InlineData(
        "InvalidRequest", "Content-MD5 OR x-amz-checksum- HTTP header is required for Put Object requests with Object Lock parameters",
        "RequestChecksumCalculation=WHEN_SUPPORTED")]
    [InlineData("InvalidRequest", "Missing required header for this request: Content-MD5", "RequestChecksumCalculation=WHEN_SUPPORTED")]
    [InlineData(
        "NotImplemented", "A header you provided implies functionality that is not implemented: x-amz-checksum-sha256",
        "RequestChecksumCalculation=WHEN_REQUIRED")]
    [InlineData("SecondLevelDomainForbidden", "Please use virtual hosted style to access.", "ForcePathStyle=false")]
    [InlineData("InvalidArgument", "If-None-Match is not supported", "Conditional=false")]
    [InlineData("InvalidRequest", "Something else", "Check the settings of Sinks:S3")]
    [InlineData("AccessDenied", "User: w is not authorized to perform: kms:GenerateDataKey on resource: k", "Allow kms:GenerateDataKey in the key's policy")]
    [InlineData("KmsDisabled", "arn:aws:kms:eu-west-1:1:key/a is disabled.", "Enable the KMS key of Sinks:S3:KmsKeyId")]
    public void For_TheStoresMessage_NamesTheSetting(string code, string message, string advice) =>
        S3Advice.For(new S3Fault(AwsErrorKind.Refused, code, 400, Detail: message), S3Operations.Put, "archive").ShouldContain(advice);

    [Fact]
    public void For_AccessDeniedToList_NamesNoKey() =>
        S3Advice
            .For(new S3Fault(AwsErrorKind.Refused, "AccessDenied", 403), S3Operations.List, "archive")
            .ShouldBe("Grant s3:ListBucket on the bucket 'archive'.");
}
