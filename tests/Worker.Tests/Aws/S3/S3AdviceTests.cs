using Quayside.Messaging.Aws;
using Quayside.Messaging.Aws.S3;
using Quayside.Messaging.Aws.S3.Sink;

namespace Worker.Tests.Aws.S3;

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
        S3SinkOptions options = new() { Acl = "private", ObjectLockMode = S3ObjectLockMode.GOVERNANCE, ObjectLockRetention = TimeSpan.FromDays(1), ObjectLockLegalHold = true };
        S3Fault fault = new(AwsErrorKind.Refused, "AccessDenied", 403, RequestId: "4442587FB7D0A2F9");

        string advice = S3Advice.For(fault, S3Operations.Put, "archive", S3Advice.PermissionsFor(options, hasTags: true));

        advice.ShouldStartWith("Grant s3:PutObject, s3:PutObjectTagging, s3:PutObjectAcl, s3:PutObjectRetention, s3:PutObjectLegalHold (and");
        $"{fault.Describe(S3Operations.Put)}. {advice}".Length.ShouldBeLessThanOrEqualTo(256, "The sink cuts the rest.");
        S3Advice.PermissionsFor(new S3SinkOptions(), hasTags: false).ShouldBeEmpty();
    }

    [Fact]
    public void For_WhatTheBucketDoesNotHave_NamesTheSetting()
    {
        S3SinkOptions locked = new() { ObjectLockLegalHold = true };

        S3Advice.For(new S3Fault(AwsErrorKind.Refused, "AccessControlListNotSupported", 400), S3Operations.Put, "archive").ShouldContain("Sinks:S3:Acl");
        S3Advice.For(new S3Fault(AwsErrorKind.Refused, "InvalidRequest", 400), S3Operations.Put, "archive", S3Advice.PermissionsFor(locked, hasTags: false)).ShouldContain("object lock");
    }

    [Fact]
    public void For_AccessDeniedToList_NamesNoKey() =>
        S3Advice.For(new S3Fault(AwsErrorKind.Refused, "AccessDenied", 403), S3Operations.List, "archive").ShouldBe("Grant s3:ListBucket on the bucket 'archive'.");
}
