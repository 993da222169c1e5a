using Microsoft.Extensions.Configuration;
using Quayside.Messaging.Aws;
using Quayside.Messaging.Configuration;
using Quayside.Messaging.Elasticsearch;
using Quayside.Messaging.Sinks;

namespace Messaging.Tests.Elasticsearch;

public sealed class ElasticsearchSinkFeatureTests
{
    [Fact]
    public void Configure_EndpointAndIndex_AreEnough() => Read([]).ShouldBeEmpty();

    [Fact]
    public void Configure_SignaturesInAProgramWithoutASigner_NamesTheCallThatIsMissing() =>
        Read([("Sinks:Elasticsearch:SigV4", "Es")], signing: null).ShouldHaveSingleItem().Problem.ShouldContain("AddElasticsearch(new AwsRequestSigning())");

    [Fact]
    public void Kind_IsDocuments() => new ElasticsearchSinkFeature(signing: null).Kind.ShouldBe(SinkKind.Documents);

    [Theory]
    [InlineData("Endpoint", null, "must be set")]
    [InlineData("Endpoint", "https://user:canary-secret@search.example", "credentials belong in ApiKey")]
    [InlineData("Endpoint", "https://search.example/?x=1", "must be scheme, host, port and path only")]
    [InlineData("Endpoint", "https://a.example,b.example", "must be absolute addresses")]
    [InlineData("ClientCertificatePassword", "canary-secret", "must be set when ClientCertificateKey or ClientCertificatePassword is")]
    [InlineData("SigV4", "S3", "one of None, Es, Aoss")]
    [InlineData("Index", null, "must be set")]
    [InlineData("Password", "canary-secret", "must be set when Password is")]
    [InlineData("ApiKey", "id:canary-secret", "must be the encoded form")]
    [InlineData("ApiKey", "x\r\nX-Other: canary-secret", "must be the encoded form")]
    [InlineData("ConnectTimeout", "40s", "must not be above AttemptTimeout")]
    [InlineData("AttemptTimeout", "2m", "must not be above TotalTimeout")]
    public void Configure_WrongValue_IsOneClearProblem(string key, string? value, string problem)
    {
        ConfigurationError error = Read([($"Sinks:Elasticsearch:{key}", value)]).ShouldHaveSingleItem();

        error.Problem.ShouldContain(problem);
        error.ToString().ShouldNotContain("canary-secret");
    }

    [Fact]
    public void Configure_TwoWaysToAuthenticate_IsAnError() =>
        Read([("Sinks:Elasticsearch:ApiKey", "a2V5"), ("Sinks:Elasticsearch:Username", "u"),
            ("Sinks:Elasticsearch:Password", "p")]).ShouldHaveSingleItem().Problem.ShouldContain("must not be set together");

    [Theory]
    [InlineData("ApiKey", "a2V5")]
    [InlineData("GzipRequests", "true")]
    public void Configure_SignedRequests_ExcludeOtherCredentialsAndCompression(string key, string value) =>
        Read([("Sinks:Elasticsearch:SigV4", "es"), ($"Sinks:Elasticsearch:{key}", value)]).ShouldHaveSingleItem().Problem.ShouldContain(
            $"must not be set together with {key}");

    [Fact]
    public void Configure_KeyOfAPkcs12File_IsAnError() =>
        Read([("Sinks:Elasticsearch:ClientCertificate", "worker.pfx"),
            ("Sinks:Elasticsearch:ClientCertificateKey", "worker.key")]).ShouldHaveSingleItem().Problem.ShouldContain("must not be set for a PKCS #12 file");

    [Fact]
    public void Configure_PlainHttpAllowed_Passes() =>
        Read([("Sinks:Elasticsearch:Endpoint", "http://search:9200"), ("Sinks:Elasticsearch:AllowPlainHttp", "true")]).ShouldBeEmpty();

    [Theory]
    [InlineData("logs", true)]
    [InlineData("logs-2026.01", true)]
    [InlineData(".hidden", true)]
    [InlineData("größe", true)]
    [InlineData("", false)]
    [InlineData(".", false)]
    [InlineData("..", false)]
    [InlineData("-logs", false)]
    [InlineData("_logs", false)]
    [InlineData("+logs", false)]
    [InlineData("a/b", false)]
    [InlineData("a\\b", false)]
    [InlineData("a*", false)]
    [InlineData("a?b", false)]
    [InlineData("a b", false)]
    [InlineData("a,b", false)]
    [InlineData("a#b", false)]
    [InlineData("a:b", false)]
    [InlineData("a\"b", false)]
    [InlineData("<a>", false)]
    [InlineData("a|b", false)]
    [InlineData("a\n", false)]
    public void IsValid_Name_FollowsTheReference(string name, bool valid) => IndexName.IsValid(name).ShouldBe(valid);

    [Fact]
    public void IsValid_Length_IsCountedInBytes()
    {
        IndexName.IsValid(new string('a', 255)).ShouldBeTrue();
        IndexName.IsValid(new string('a', 256)).ShouldBeFalse();
        IndexName.IsValid(new string('ä', 128)).ShouldBeFalse();
    }

    private static IReadOnlyCollection<ConfigurationError> Read(IEnumerable<(string Key, string? Value)> values) => Read(values, new AwsRequestSigning());

    private static IReadOnlyCollection<ConfigurationError> Read(IEnumerable<(string Key, string? Value)> values, IRequestSigning? signing)
    {
        Dictionary<string, string?> all = new(StringComparer.OrdinalIgnoreCase)
        {
            ["Sinks:Elasticsearch:Endpoint"] = "http://127.0.0.1:9200",
            ["Sinks:Elasticsearch:Index"] = "logs",
        };
        foreach ((string key, string? value) in values)
        {
            all[key] = value;
        }

        SettingsReader settings = new(new ConfigurationBuilder().AddInMemoryCollection(all.Where(pair => pair.Value is not null)).Build());
        new ElasticsearchSinkFeature(signing).Configure(settings, "logs");
        return [.. settings.Errors];
    }
}
