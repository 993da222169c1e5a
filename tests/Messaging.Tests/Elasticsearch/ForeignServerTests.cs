using Messaging.Tests.Aws.S3.Direct;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Elasticsearch;

/// <summary>Another server at the address of Elasticsearch.</summary>
public sealed class ForeignServerTests
{
    private readonly RecordingLog _log = new();

    [Theory]
    [InlineData("200 OK", "<html>\r\n<title>Console</title>", "NotAnElasticsearchAnswer (200): It sent \"<html> <title>Console</title>\"")]
    [InlineData("200 OK", "", "NotAnElasticsearchAnswer (200): It sent \"\"")]
    [InlineData("200 OK", "<ListAllMyBucketsResult />", "NotAnElasticsearchAnswer (200): It sent \"<ListAllMyBucketsResult />\"")]
    [InlineData("400 Bad Request", "Client sent an HTTP request to an HTTPS server.", "HTTP400 (400): Client sent an HTTP request to an HTTPS server")]
    [InlineData("404 Not Found", "<html>\r\n404", "HTTP404 (404): <html> 404")]
    [InlineData("302 Found", "", "HTTP302 (302)")]
    public async Task Check_AnotherServerAnswers_IsAProblemThatQuotesIt(string status, string body, string expected)
    {
        await using RawServer server = new(_ => $"HTTP/1.1 {status}\r\nContent-Length: {body.Length}\r\n\r\n{body}");

        string problem = (await CheckAsync(server)).ShouldNotBeNull();

        problem.ShouldBe(
            $"Elasticsearch GET /: {expected}. The address answers, but is not Elasticsearch: check Sinks:Elasticsearch:Endpoint.");
        LogEntry entry = _log.Entries.ShouldHaveSingleItem();
        entry.Id.Id.ShouldBe(4201);
        entry.Text.ShouldContain(problem.TrimEnd('.'));
    }

    [Fact]
    public async Task Check_JsonObject_Passes()
    {
        await using RawServer server = new(_ => "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n { }");

        (await CheckAsync(server)).ShouldBeNull();
    }

    private async Task<string?> CheckAsync(RawServer server)
    {
        ElasticsearchSinkOptions options = new() { Endpoint = [server.Url.AbsoluteUri], Index = "logs" };
        SinkServices services = new() { Services = null!, Loggers = _log };
        await using ElasticsearchSink sink = ElasticsearchSink.Create(options, sign: null, services);
        await sink.CheckAsync(TestContext.Current.CancellationToken);
        return sink.Problem;
    }
}
