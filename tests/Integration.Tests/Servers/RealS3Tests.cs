using System.Net;
using Amazon.S3;
using Amazon.S3.Model;

namespace Integration.Tests.Servers;

public sealed class RealS3Tests(RealS3 s3)
{
    [Fact]
    public async Task PutObject_SecondTimeIfAbsent_Answers412AndKeepsTheFirst()
    {
        AwsEndpoint endpoint = s3.Require();
        string bucket = await endpoint.CreateBucketAsync();
        using AmazonS3Client client = endpoint.CreateS3Client();

        await client.PutObjectAsync(new PutObjectRequest { BucketName = bucket, Key = "k", ContentBody = "first", IfNoneMatch = "*" });
        AmazonS3Exception refused = await Should.ThrowAsync<AmazonS3Exception>(
            client.PutObjectAsync(new PutObjectRequest { BucketName = bucket, Key = "k", ContentBody = "second", IfNoneMatch = "*" }));

        refused.StatusCode.ShouldBe(HttpStatusCode.PreconditionFailed);
        using GetObjectResponse answer = await client.GetObjectAsync(bucket, "k");
        using var reader = new StreamReader(answer.ResponseStream);
        (await reader.ReadToEndAsync()).ShouldBe("first");
    }

    [Fact]
    public async Task ListBuckets_WrongSecret_IsRefused()
    {
        AwsEndpoint endpoint = s3.Require();
        using AmazonS3Client client = (endpoint with { SecretKey = "not-the-secret" }).CreateS3Client();

        AmazonS3Exception refused = await Should.ThrowAsync<AmazonS3Exception>(client.ListBucketsAsync());

        refused.ErrorCode.ShouldBe("SignatureDoesNotMatch");
    }
}
