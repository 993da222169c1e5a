using System.Net.Http.Headers;
using System.Text;
using Quayside.Messaging.Elasticsearch;

namespace Messaging.Tests.Elasticsearch.Requests;

public sealed class BulkFaultsTests
{
    [Theory]
    [InlineData(400, "Refused")]
    [InlineData(403, "Refused")]
    [InlineData(301, "Refused")]
    [InlineData(413, "TooLarge")]
    [InlineData(408, "Transient")]
    [InlineData(429, "Transient")]
    [InlineData(503, "Transient")]
    [InlineData(204, "Transient")]
    public void OfAnswer_Status_DecidesTheKind(int status, string kind) => BulkFaults.OfAnswer(status, default, null).Kind.ToString().ShouldBe(kind);

    [Theory]
    [InlineData("""{"error":{"root_cause":[],"type":"security_exception","reason":"no \u0007 way"},"status":403}""", "security_exception", "no \\u0007 way")]
    [InlineData("""{"error":"Incorrect HTTP method","status":405}""", "HTTP403", "Incorrect HTTP method")]
    [InlineData("""{"error":{"type":7,"reason":null}}""", "HTTP403", "")]
    [InlineData("""{"error":{"type":"\ud800","reason":"\ud800"}}""", "HTTP403", "")]
    [InlineData("<html>\r\nForbidden</html>\n", "HTTP403", "<html> Forbidden</html>")]
    [InlineData(
        """{"Message":"User: anonymous is not authorized to perform: es:ESHttpPost"}""", "HTTP403",
        "User: anonymous is not authorized to perform: es:ESHttpPost")]
    [InlineData("""{"message":"Forbidden by the gateway"}""", "HTTP403", "Forbidden by the gateway")]
    [InlineData("""{"message":["x"]}""", "HTTP403", "")]
    [InlineData("{}", "HTTP403", "")]
    [InlineData("null", "HTTP403", "")]
    [InlineData("", "HTTP403", "")]
    public void OfAnswer_AnyBody_IsReadAsFarAsItIsValid(string body, string code, string reason)
    {
        BulkFault fault = BulkFaults.OfAnswer(403, Encoding.UTF8.GetBytes(body), null);

        (fault.Code, fault.Reason, fault.Status).ShouldBe((code, reason, 403));
    }

    [Fact]
    public void OfAnswer_PageOfAProxy_IsBounded() =>
        BulkFaults.OfAnswer(502, Encoding.UTF8.GetBytes(new string('x', 60_000)), null).Reason.Length.ShouldBeInRange(200, 300);

    [Theory]
    [InlineData(
        """{"Message":"User: anonymous is not authorized to perform: es:ESHttpPost."}""",
        "Elasticsearch _bulk: HTTP403 (403): User: anonymous is not authorized to perform: es:ESHttpPost", "set Sinks:Elasticsearch:SigV4")]
    [InlineData(
        """{"status":403,"request-id":"1","error":{"reason":"403 Forbidden","type":"Forbidden"}}""", "Elasticsearch _bulk: Forbidden (403): 403 Forbidden",
        "set Sinks:Elasticsearch:SigV4")]
    [InlineData(
        """{"error":{"type":"security_exception","reason":"action [indices:data/write/bulk] is unauthorized"}}""",
        "Elasticsearch _bulk: security_exception (403): action [indices:data/write/bulk] is unauthorized", "Grant the privilege create_doc on 'logs'.")]
    [InlineData("", "Elasticsearch _bulk: HTTP403 (403)", "Grant the privilege create_doc on 'logs'.")]
    public void Describe_Refusal_HasTheServersText(string body, string text, string advice)
    {
        BulkFault fault = BulkFaults.OfAnswer(403, Encoding.UTF8.GetBytes(body), null);

        ElasticsearchAdvice.Describe(fault, "_bulk").ShouldBe(text);
        ElasticsearchAdvice.For(fault, new ItemRules("logs"), "logs").ShouldContain(advice);
    }

    [Fact]
    public void OfAnswer_NestedWithoutEnd_IsNoError() =>
        BulkFaults.OfAnswer(403, Encoding.UTF8.GetBytes($"{{\"error\":{new string('[', 30_000)}"), null).Code.ShouldBe("HTTP403");

    [Fact]
    public void OfAnswer_RetryAfter_IsUsedUpToAnHour()
    {
        BulkFaults.OfAnswer(429, default, new RetryConditionHeaderValue(TimeSpan.FromSeconds(7))).RetryAfter.ShouldBe(TimeSpan.FromSeconds(7));
        BulkFaults.OfAnswer(429, default, new RetryConditionHeaderValue(TimeSpan.FromDays(7))).RetryAfter.ShouldBe(TimeSpan.FromHours(1));
        BulkFaults.OfAnswer(429, default, new RetryConditionHeaderValue(DateTimeOffset.UnixEpoch)).RetryAfter.ShouldBe(TimeSpan.Zero);
    }

    [Fact]
    public void Classify_Exceptions_AreAllTransient()
    {
        BulkFaults.Classify(new OperationCanceledException(), timedOut: true).Code.ShouldBe(BulkFault.TimeoutCode);
        BulkFaults.Classify(new IOException(), timedOut: true).Code.ShouldBe(BulkFault.TimeoutCode);
        BulkFaults.Classify(new HttpRequestException(HttpRequestError.NameResolutionError), timedOut: false).Code.ShouldBe("NameResolutionError");
        BulkFaults.Classify(new IOException(), timedOut: false).IsBroken.ShouldBeTrue();
        BulkFaults.Classify(new InvalidOperationException(), timedOut: false).ShouldBe(new BulkFault(BulkFaultKind.Transient, "InvalidOperationException"));
    }
}
