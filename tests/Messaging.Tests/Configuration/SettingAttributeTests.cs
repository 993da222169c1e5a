using System.Reflection;
using Quayside.Messaging.Configuration;

namespace Messaging.Tests.Configuration;

/// <summary>Every settings class of the worker: the values in its attributes can be parsed, and its defaults are allowed.</summary>
public sealed class SettingAttributeTests
{
    public static TheoryData<Type> OptionTypes =>
        [.. SettingsClasses.All];

    [Theory]
    [MemberData(nameof(OptionTypes))]
    public void Settings_RangesAndDefaults_FitTogether(Type type)
    {
        object defaults = Activator.CreateInstance(type)!;
        foreach (PropertyInfo property in type.GetProperties().Where(property => property.IsDefined(typeof(SettingAttribute))))
        {
            SettingAttribute setting = property.GetCustomAttribute<SettingAttribute>()!;
            string name = $"{type.Name}.{property.Name}";
            setting.Description.ShouldNotBeNullOrWhiteSpace(name);
            setting.Description.ShouldNotEndWith(".", customMessage: $"{name}: errors append a full stop");
            (setting.Consequence?.EndsWith('.') ?? true).ShouldBeTrue($"{name}: a consequence is a sentence");
            property.CanWrite.ShouldBeTrue(name);
            object? value = property.GetValue(defaults);
            foreach (string bound in new[] { setting.Min, setting.Max }.OfType<string>())
            {
                SettingText.TryParse(bound, property.PropertyType, setting.Bytes, out _).ShouldBeTrue($"{name}: {bound} cannot be read");
            }

            if (value is IComparable comparable)
            {
                InRange(comparable, setting.Min, 1).ShouldBeTrue($"{name}: its default is below {setting.Min}");
                InRange(comparable, setting.Max, -1).ShouldBeTrue($"{name}: its default is above {setting.Max}");
                SettingText
                    .TryParse(SettingText.Format(value, setting.Bytes), property.PropertyType, setting.Bytes, out object? again)
                    .ShouldBe(!Equals(value, string.Empty) || again is not null);
                again.ShouldBe(value, name);
            }

            bool InRange(IComparable given, string? bound, int sign) =>
                bound is null || (SettingText.TryParse(bound, property.PropertyType, setting.Bytes, out object? limit) && given.CompareTo(limit) * sign >= 0);
        }
    }
}
