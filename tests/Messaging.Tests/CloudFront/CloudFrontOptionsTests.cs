using Microsoft.Extensions.Configuration;
using Quayside.Messaging.CloudFront;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.CloudFront;

/// <summary>The start reports every wrong setting.</summary>
public sealed class CloudFrontOptionsTests
{
    [Fact]
    public void Configure_BucketsOnly_IsValid() => ErrorsOf("Handlers:CloudFront:Buckets=logs, other-logs").ShouldBeEmpty();

    [Fact]
    public void Configure_Nothing_AsksForBuckets() => ErrorsOf().ShouldHaveSingleItem().ShouldContain("Handlers:CloudFront:Buckets");

    [Theory]
    [InlineData("Handlers:CloudFront:ObjectTimeout=2m", "ObjectTimeout")]
    [InlineData("Intake:MessageTimeout=30s", "ObjectTimeout")]
    public void Configure_WrongSetting_IsNamed(string setting, string name) =>
        ErrorsOf("Handlers:CloudFront:Buckets=logs", setting).ShouldHaveSingleItem().ShouldContain($"Handlers:CloudFront:{name}");

    [Fact]
    public void Configure_WrongTimestampField_ErrorOffersNone() =>
        ErrorsOf("Handlers:CloudFront:Buckets=logs", "Handlers:CloudFront:TimestampField=no field").ShouldHaveSingleItem().ShouldBe(
            "Handlers:CloudFront:TimestampField = \"no field\": must be a field name of 1 to 128 letters, digits, _ - @ or dots, "
                + "or None for documents without a timestamp.");

    [Theory]
    [InlineData("none", "")]
    [InlineData("at", "at")]
    [InlineData("None.at", "None.at")]
    public void Timestamp_NoneInAnyCase_IsEmpty(string field, string expected)
    {
        SettingsReader reader = Read("Handlers:CloudFront:Buckets=logs", $"Handlers:CloudFront:TimestampField={field}");

        reader.Read<CloudFrontOptions>(CloudFrontOptions.Section, "logs").Timestamp.ShouldBe(expected);

        reader.Errors.ShouldBeEmpty();
    }

    private static string[] ErrorsOf(params string[] settings)
    {
        SettingsReader reader = Read(settings);
        new CloudFrontHandlerFeature().Configure(reader, "logs");
        return [.. reader.Errors.Select(error => error.ToString())];
    }

    private static SettingsReader Read(params string[] settings)
    {
        IConfigurationRoot configuration = new ConfigurationBuilder()
            .AddInMemoryCollection(
                settings
                    .Select(setting => setting.Split('=', 2))
                    .GroupBy(pair => pair[0], StringComparer.Ordinal)
                    .Select(pairs => KeyValuePair.Create(pairs.Key, (string?)pairs.Last()[1])))
            .Build();
        return new SettingsReader(configuration);
    }
}
