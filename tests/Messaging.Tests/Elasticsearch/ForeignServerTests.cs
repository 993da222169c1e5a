using Messaging.Tests.Aws.S3.Direct;
using Microsoft.Extensions.Logging.Abstractions;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Elasticsearch;

/// <summary>Another server at the address of Elasticsearch.</summary>
public sealed class ForeignServerTests
{
    [Theory]
    [InlineData("200 OK", "<html>\r\n<title>Console</title>", "NotAnElasticsearchAnswer (200): It sent \"<html> <title>Console</title>\"")]
    [InlineData("200 OK", "", "NotAnElasticsearchAnswer (200): It sent \"\"")]
    [InlineData("200 OK", "<ListAllMyBucketsResult />", "NotAnElasticsearchAnswer (200): It sent \"<ListAllMyBucketsResult />\"")]
    [InlineData("400 Bad Request", "Client sent an HTTP request to an HTTPS server.", "HTTP400 (400): Client sent an HTTP request to an HTTPS server")]
    [InlineData("404 Not Found", "<html>\r\n404", "HTTP404 (404): <html> 404")]
    [InlineData("302 Found", "", "HTTP302 (302)")]
    public async Task Check_AnotherServerAnswers_EndsTheStartAndQuotesIt(string status, string body, string expected)
    {
        await using RawServer server = new(_ => $"HTTP/1.1 {status}\r\nContent-Length: {body.Length}\r\n\r\n{body}");

        StartupException exception = await Should.ThrowAsync<StartupException>(() => CheckAsync(server));

        exception.ExitCode.ShouldBe(ExitCodes.Configuration);
        exception.Message.ShouldStartWith($"Elasticsearch GET /: {expected} at ");
        exception.Message.ShouldEndWith("The address answers, but is not Elasticsearch: check Sinks:Elasticsearch:Endpoint, Endpoints or CloudId.");
    }

    [Fact]
    public async Task Check_JsonObject_Passes()
    {
        await using RawServer server = new(_ => "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n { }");

        (await CheckAsync(server)).ShouldBeNull();
    }

    private static async Task<string?> CheckAsync(RawServer server)
    {
        ElasticsearchSinkOptions options = new() { Endpoint = server.Url, Index = "logs" };
        SinkServices services = new(null!, NullLoggerFactory.Instance, TimeProvider.System);
        await using ElasticsearchSink sink = ElasticsearchSink.Create(options, sign: null, services);
        await sink.CheckAsync(TestContext.Current.CancellationToken);
        return sink.Problem;
    }
}
